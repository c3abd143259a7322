"""A table as plain cells, written once and shown twice: in the terminal and on the page."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cqa_spark.reports.console import width_of

_STYLE = {"better": "green", "worse": "red", "unclear": "dim", "muted": "dim", "": ""}


@dataclass(frozen=True)
class Cell:
    """One value.

    Attributes:
        text: the value.
        small: what stands below it on the page and after it in the terminal, such as an interval.
        role: better, worse or unclear, as a test says; muted for what is not ours; empty for all else.
    """

    text: str
    small: str = ""
    role: str = ""


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        title: above it.
        about: what a reader has to know of it, in sentences.
        headings: of the columns; the first one is of the rows' names.
        rows: a name and its cells.
    """

    title: str
    about: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


def print_grid(grid: Grid, console: Console) -> None:
    """Print a table; a file or pipe gets all of it, however wide it is."""
    table = Table(title=grid.title, title_justify="left", box=None, pad_edge=False)
    table.add_column(grid.headings[0], no_wrap=True)
    for heading in grid.headings[1:]:
        table.add_column(heading, justify="right")
    for name, cells in grid.rows:
        table.add_row(
            Text(name), *[Text(f"{cell.text} {cell.small}".strip(), style=_STYLE[cell.role]) for cell in cells]
        )
    whole = console if console.is_terminal else Console(file=console.file, width=width_of(table))
    whole.print(table)
    console.print(grid.about, soft_wrap=True, highlight=False, style="dim")
    console.print()
