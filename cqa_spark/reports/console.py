"""The table of systems and measures that the terminal shows after a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cqa_spark.reports.content.measures import Evaluation
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.wording import MISSING, counted, p_value, points, readable, signed_points, verdict
from cqa_spark.terminal import Column, Styled, Terminal, TextTable, number

_STYLE = {"better": "green", "worse": "red", "unclear": "dim", "": ""}


def print_systems(report: RunReport, terminal: Terminal) -> None:
    """Print systems and their measures, best first.

    A terminal that is too narrow for all measures shows the first ones; a file or pipe always gets all of them.

    Args:
        report: the run's report.
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
        terminal.line(f"also in the report: {', '.join(hidden)}")
    if not evaluation.measurements:
        terminal.line("No label is known: nothing was measured.")


def _table(evaluation: Evaluation, measures: Sequence[str]) -> TextTable:
    comparison = [number(f"{evaluation.main_measure} over {evaluation.baseline}")] if evaluation.comparisons else []
    table = TextTable(Column("system", whole=True), *map(number, measures), *comparison)
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
    return Styled(
        f"{signed_points(comparison.difference)}  {p_value(comparison.p_value)}", style=_STYLE[verdict(comparison)]
    )
