"""The changes between two runs, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.inspection.tables.content import Counted


@dataclass(frozen=True)
class TableChanges:
    """Changes in one table of one site.

    Attributes:
        site: name of the site.
        table: name of the table.
        new: rows whose key only the later run has.
        gone: rows whose key only the earlier run has.
        changed: rows of both runs that differ in any column other than the source file.
        columns: number of changed rows by column, most frequent first.
        changed_in_text: changed posts whose body differs; None for all other tables.
    """

    site: str
    table: str
    new: int
    gone: int
    changed: int
    columns: tuple[Counted, ...]
    changed_in_text: int | None = None


@dataclass(frozen=True)
class Comparison:
    """Changes from one run to another.

    Attributes:
        before: id of the earlier run.
        after: id of the later run.
        tables: tables that both runs wrote, by site.
        only_before: tables that the later run did not write.
        only_after: tables that the earlier run did not write.
    """

    before: str
    after: str
    tables: tuple[TableChanges, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
