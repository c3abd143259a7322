"""Tables as plain cells, which the terminal and the page show alike, and formats of other tables in the terminal."""

from collections.abc import Iterable
from dataclasses import dataclass

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable
from cqa_spark.reports.kit.wording import MISSING, Tested, count, interval, p_value, points, signed_points, verdict


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


ROLE_STYLES = {"better": "green", "worse": "red", "unclear": "dim", "muted": "dim", "": ""}
"""Style of a cell by its role."""


def print_grids(grids: Iterable[Grid], terminal: Terminal) -> None:
    """Print tables, one below the other."""
    for grid in grids:
        print_grid(grid, terminal)


def print_grid(grid: Grid, terminal: Terminal) -> None:
    """Print a table and its explanation."""
    first, *others = grid.headings
    columns = [Column(heading, right=heading not in grid.texts) for heading in others]
    table = TextTable(Column(first, whole=True), *columns, title=grid.title)
    for name, cells in grid.rows:
        table.add_row(name, *(Styled(f"{cell.text} {cell.small}".strip(), ROLE_STYLES[cell.role]) for cell in cells))
    terminal.table(table)
    terminal.line(grid.about, style="dim")
    terminal.line()


def warning(rows: int) -> Styled:
    """A number that is red unless it is zero."""
    return Styled(count(rows), "red" if rows else "dim")
