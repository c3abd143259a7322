"""Tables in the terminal, in the style of an inspection."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from cqa_spark.reports.wording import count, visible


def new_table(first: str, numbers: Sequence[str], *notes: str) -> Table:
    """An empty table without lines.

    Args:
        first: head of the first column, a text.
        numbers: heads of the columns of numbers; they are never cut.
        notes: heads of the columns of texts after them; a narrow terminal breaks these.
    """
    table = Table(box=None, pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for name in notes:
        table.add_column(name, overflow="fold")
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table; a file or pipe gets it as wide as it is, a terminal as wide as that is."""
    if not console.is_terminal:
        unlimited = Console(width=10_000)
        width = Measurement.get(unlimited, unlimited.options, table).maximum
        console = Console(file=console.file, width=max(console.width, width))
    console.print(table)


def site_row(site: str) -> Text:
    """The row above the tables of a site."""
    return Text(visible(site), style="bold")


def table_name(name: str) -> Text:
    """A table below its site."""
    return Text(f"  {name}")


def warning(rows: int) -> Text:
    """A number that should be nought."""
    return Text(count(rows), style="red" if rows else "dim")
