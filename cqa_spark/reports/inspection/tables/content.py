"""The facts of one table of a site, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counted:
    """A name, such as that of a column, and its number of rows."""

    name: str
    rows: int


@dataclass(frozen=True)
class Nulls:
    """The nulls of a column, among the rows that it applies to: answers have no title of their own, for example.

    Attributes:
        name: name of the column.
        rows: rows with a null that could have a value.
        of: rows that could have a value.
    """

    name: str
    rows: int
    of: int


@dataclass(frozen=True)
class TableFacts:
    """One table of one site.

    Attributes:
        name: name of the table.
        rows: number of rows of the site.
        quarantined: quarantined records from files that fill only this table.
        orphans: rows with a dangling reference, summed over all references.
        first: date of the earliest row, ISO 8601, UTC; None if no row has a timestamp.
        last: date of the latest row.
        nulls: the columns that have values and nulls.
        absent: columns without any value, which the files do not have.
        unknown_attributes: number of rows with each undeclared attribute, most frequent first.
    """

    name: str
    rows: int
    quarantined: int = 0
    orphans: int = 0
    first: str | None = None
    last: str | None = None
    nulls: tuple[Nulls, ...] = ()
    absent: tuple[str, ...] = ()
    unknown_attributes: tuple[Counted, ...] = ()
