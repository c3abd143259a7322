"""Prints the table of systems and measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable, number
from cqa_spark.reports.kit.console import ROLE_STYLES
from cqa_spark.reports.kit.grid import difference_cell
from cqa_spark.reports.kit.numbers import MISSING, counted, points
from cqa_spark.reports.kit.text import readable
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.systems.content import Evaluation


def print_systems(report: RunReport, terminal: Terminal) -> None:
    """Print the systems and their measures, best first.

    A terminal that is too narrow for all measures shows the first ones; a file or pipe always gets all of them.

    Args:
        report: report of the run.
        terminal: where to print.
    """
    evaluation = report.evaluation
    queries, candidates = counted(evaluation.queries, "query", "queries"), counted(evaluation.candidates, "candidate")
    terminal.line(f"{readable(evaluation.task)} on {evaluation.split}: {queries}, {candidates}")
    shown = evaluation.measures
    while terminal.width and len(shown) > 1 and _table(evaluation, shown).width > terminal.width:
        shown = shown[:-1]
    terminal.table(_table(evaluation, shown))
    if hidden := evaluation.measures[len(shown) :]:
        terminal.line(f"see the report for {', '.join(hidden)}")
    if not evaluation.measurements:
        terminal.line("no labels, so no measures")


def _table(evaluation: Evaluation, measures: Sequence[str]) -> TextTable:
    compared = [f"{evaluation.main_measure} over {evaluation.baseline}"] if evaluation.comparisons else []
    table = TextTable(Column("system", whole=True), *map(number, [*measures, *compared]))
    for system in evaluation.systems:
        best = system == evaluation.best_system
        table.add_row(*_cells(evaluation, system, measures), style="bold" if best else "")
    return table


def _cells(evaluation: Evaluation, system: str, measures: Sequence[str]) -> Iterator[str | Styled]:
    yield system
    for measure in measures:
        found = evaluation.measurement(system, measure)
        yield MISSING if found is None else points(found.value)
    if evaluation.comparisons:
        yield _comparison(evaluation, system)


def _comparison(evaluation: Evaluation, system: str) -> str | Styled:
    comparison = evaluation.comparison(system, evaluation.main_measure)
    if comparison is None:
        return MISSING
    cell = difference_cell(comparison)
    return Styled(f"{cell.text}  {cell.small}", ROLE_STYLES[cell.role])
