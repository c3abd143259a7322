"""Prints the changes between two runs."""

from __future__ import annotations

from itertools import groupby

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.comparison.content import Comparison, TableChanges
from cqa_spark.reports.comparison.wording import changed_columns
from cqa_spark.reports.kit.console import group_row, member_row, new_table
from cqa_spark.reports.kit.numbers import count


def print_comparison(comparison: Comparison, terminal: Terminal) -> None:
    """Print the number of new, gone and changed rows of each site and table."""
    terminal.line(f"from run {comparison.before} to run {comparison.after}")
    table = new_table("site and table", ("new", "gone", "changed", "in text"), "changed columns")
    for site, tables in groupby(comparison.tables, lambda changes: changes.site):
        table.add_row(group_row(site))
        for changes in tables:
            table.add_row(*_cells(changes))
    terminal.table(table)
    for run, names in ((comparison.before, comparison.only_before), (comparison.after, comparison.only_after)):
        if names:
            terminal.line(f"only in run {run}: {', '.join(names)}")


def _cells(changes: TableChanges) -> list[str]:
    in_text = "" if changes.changed_in_text is None else count(changes.changed_in_text)
    numbers = [count(changes.new), count(changes.gone), count(changes.changed), in_text]
    return [member_row(changes.table), *numbers, changed_columns(changes)]
