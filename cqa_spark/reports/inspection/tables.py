"""Tables in the terminal, in the style of an inspection."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.reports.wording import count
from cqa_spark.terminal import Column, Styled, TextTable, number


def new_table(first: str, numbers: Sequence[str], *notes: str, caption: str = "") -> TextTable:
    """An empty table.

    Args:
        first: heading of the first column, a text.
        numbers: headings of the columns of numbers.
        notes: headings of the columns of texts after them.
        caption: text below the table.
    """
    return TextTable(Column(first), *map(number, numbers), *map(Column, notes), caption=caption)


def site_row(site: str) -> Styled:
    """The row above the tables of a site."""
    return Styled(site, "bold")


def table_name(name: str) -> str:
    """A table below its site."""
    return f"  {name}"


def warning(rows: int) -> Styled:
    """A number that should be zero."""
    return Styled(count(rows), "red" if rows else "dim")
