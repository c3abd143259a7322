"""Tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable, number
from cqa_spark.reports.kit.grid import Grid
from cqa_spark.reports.kit.numbers import count

ROLE_STYLES = {"better": "green", "worse": "red", "unclear": "dim", "muted": "dim", "": ""}
"""Style of a cell by its role."""


def new_table(first: str, numbers: Sequence[str], *notes: str, caption: str = "") -> TextTable:
    """An empty table.

    Args:
        first: heading of the first column, which holds text.
        numbers: headings of the number columns.
        notes: headings of the text columns after them.
        caption: text below the table.
    """
    return TextTable(first, *map(number, numbers), *notes, caption=caption)


def print_grid(grid: Grid, terminal: Terminal) -> None:
    """Print a table and its explanation."""
    first, *others = grid.headings
    columns = [Column(each, right=each not in grid.texts) for each in others]
    table = TextTable(Column(first, whole=True), *columns, title=grid.title)
    for name, cells in grid.rows:
        table.add_row(name, *(Styled(f"{cell.text} {cell.small}".strip(), ROLE_STYLES[cell.role]) for cell in cells))
    terminal.table(table)
    terminal.line(grid.about, style="dim")
    terminal.line()


def group_row(name: str) -> Styled:
    """The row above a group of rows, such as the tables of a site."""
    return Styled(name, "bold")


def member_row(name: str) -> str:
    """The name of a row in a group."""
    return f"  {name}"


def warning(rows: int) -> Styled:
    """A number that is red unless it is zero."""
    return Styled(count(rows), "red" if rows else "dim")
