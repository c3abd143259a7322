"""What changed between two runs, in the terminal."""

from __future__ import annotations

from itertools import groupby

from cqa_spark.reports.inspection.diff import Comparison, TableChanges
from cqa_spark.reports.inspection.tables import new_table, site_row, table_name
from cqa_spark.reports.wording import count
from cqa_spark.terminal import Terminal

COLUMNS = 6
"""Columns that a row of the table names."""


def print_comparison(comparison: Comparison, terminal: Terminal) -> None:
    """Print rows new, gone and changed for every site and table."""
    terminal.line(f"from run {comparison.before} to run {comparison.after}")
    table = new_table("site and table", ("new", "gone", "changed", "in text"), "columns that changed")
    for site, tables in groupby(comparison.tables, lambda changes: changes.site):
        table.add_row(site_row(site))
        for changes in tables:
            table.add_row(*_cells(changes))
    terminal.table(table)
    for runs, names in ((comparison.before, comparison.only_before), (comparison.after, comparison.only_after)):
        if names:
            terminal.line(f"only run {runs} has: {', '.join(names)}")


def changed_columns(changes: TableChanges) -> str:
    """The columns that changed most often, with the number of rows."""
    named = [f"{each.name} {count(each.rows)}" for each in changes.columns]
    more = f" and {len(named) - COLUMNS} more" if len(named) > COLUMNS else ""
    return ", ".join(named[:COLUMNS]) + more


def _cells(changes: TableChanges) -> list[str]:
    in_text = "" if changes.changed_in_text is None else count(changes.changed_in_text)
    numbers = [count(changes.new), count(changes.gone), count(changes.changed), in_text]
    return [table_name(changes.table), *numbers, changed_columns(changes)]
