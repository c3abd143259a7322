"""Tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from cqa_spark.reports.kit.grid import Grid
from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.text import visible

ROLE_STYLES = {"better": "green", "worse": "red", "unclear": "dim", "muted": "dim", "": ""}
"""Style of a cell by its role."""


def new_table(first: str, numbers: Sequence[str], *notes: str) -> Table:
    """An empty table without borders.

    Args:
        first: heading of the first column, which holds text.
        numbers: headings of the number columns, which are never truncated.
        notes: headings of the text columns after them, which wrap in a narrow terminal.
    """
    table = Table(box=None, pad_edge=False, title_justify="left")
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for name in notes:
        table.add_column(name, overflow="fold")
    return table


def print_table(table: Table, console: Console) -> None:
    """Print a table; a terminal fits it to its width, a file or pipe gets it in full width."""
    if not console.is_terminal:
        console = Console(file=console.file, width=max(console.width, width_of(table)))
    console.print(table)


def width_of(table: Table) -> int:
    """Width of a table, in characters, if nothing is truncated."""
    unlimited = Console(width=10_000)
    return Measurement.get(unlimited, unlimited.options, table).maximum


def print_grid(grid: Grid, console: Console) -> None:
    """Print a table and its explanation."""
    table = Table(title=grid.title, title_justify="left", box=None, pad_edge=False)
    table.add_column(grid.headings[0], no_wrap=True)
    for heading in grid.headings[1:]:
        table.add_column(heading, justify="right")
    for name, cells in grid.rows:
        table.add_row(Text(name), *[_text(cell.text, cell.small, cell.role) for cell in cells])
    print_table(table, console)
    console.print(grid.about, soft_wrap=True, highlight=False, style="dim")
    console.print()


def print_line(text: str, console: Console, style: str = "") -> None:
    """Print text as it is: no markup, no highlighting, no line breaks added."""
    console.print(text, style=style, soft_wrap=True, highlight=False, markup=False)


def group_row(name: str) -> Text:
    """The row above a group of rows, such as the tables of a site."""
    return Text(visible(name), style="bold")


def member_row(name: str) -> Text:
    """The name of a row in a group."""
    return Text(f"  {name}")


def warning(rows: int) -> Text:
    """A number that is red unless it is zero."""
    return Text(count(rows), style="red" if rows else "dim")


def _text(text: str, small: str, role: str) -> Text:
    return Text(f"{text} {small}".strip(), style=ROLE_STYLES[role])
