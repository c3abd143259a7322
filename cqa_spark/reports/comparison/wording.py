"""The columns that changed, as text."""

from __future__ import annotations

from cqa_spark.reports.comparison.content import TableChanges
from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.text import listed

COLUMNS = 6
"""Largest number of columns listed for a table."""


def changed_columns(changes: TableChanges) -> str:
    """The columns that changed most often, with the number of rows."""
    return listed([f"{each.name} {count(each.rows)}" for each in changes.columns], COLUMNS)
