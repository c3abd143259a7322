"""A table as plain cells, written once and shown twice: in the terminal and on the page."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.terminal import Column, Styled, Terminal, TextTable

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


def print_grid(grid: Grid, terminal: Terminal) -> None:
    """Print a table, with its explanation below."""
    first, *others = grid.headings
    table = TextTable(Column(first, whole=True), *(Column(each, right=True) for each in others), title=grid.title)
    for name, cells in grid.rows:
        table.add_row(name, *(Styled(f"{cell.text} {cell.small}".strip(), _STYLE[cell.role]) for cell in cells))
    terminal.table(table)
    terminal.line(grid.about, style="dim")
    terminal.line()
