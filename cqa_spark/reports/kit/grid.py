"""A table as plain cells; the terminal and the page render the same table."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.kit.numbers import MISSING, interval, p_value, points, signed_points
from cqa_spark.reports.kit.significance import Tested, verdict


@dataclass(frozen=True)
class Cell:
    """One value.

    Attributes:
        text: the value.
        small: secondary text, such as an interval: below the value on the page, after it in the terminal.
        role: better, worse or unclear, from a significance test; muted for published values; empty for all others.
    """

    text: str
    small: str = ""
    role: str = ""


NO_VALUE = Cell(MISSING, role="muted")


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        title: heading above it.
        about: explanation, in sentences.
        headings: column headings; the first column holds the row names.
        rows: a name and its cells.
        texts: headings of the columns with text, apart from the first; they are aligned left, numbers right.
    """

    title: str
    about: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    texts: tuple[str, ...] = ()


def value_cell(value: float, low: float, high: float) -> Cell:
    """A value with its interval; all fractions."""
    return Cell(points(value), interval(low, high))


def difference_cell(tested: Tested | None) -> Cell:
    """A difference with its p-value, coloured if it is significant."""
    if tested is None:
        return NO_VALUE
    return Cell(signed_points(tested.difference), p_value(tested.p_value), verdict(tested))
