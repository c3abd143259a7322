"""Prints the table of systems and measures."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cqa_spark.reports.kit.console import ROLE_STYLES, new_table, print_line, print_table, width_of
from cqa_spark.reports.kit.grid import difference_cell
from cqa_spark.reports.kit.numbers import MISSING, counted, points
from cqa_spark.reports.kit.text import readable
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.systems.content import Evaluation


def print_systems(report: RunReport, console: Console) -> None:
    """Print the systems and their measures, best first.

    A terminal that is too narrow for all measures shows the first ones; a file or pipe always gets all of them.

    Args:
        report: report of the run.
        console: where to print.
    """
    evaluation = report.evaluation
    queries, candidates = counted(evaluation.queries, "query", "queries"), counted(evaluation.candidates, "candidate")
    print_line(f"{readable(evaluation.task)} on {evaluation.split}: {queries}, {candidates}", console)
    shown = evaluation.measures
    if console.is_terminal:
        while len(shown) > 1 and width_of(_table(evaluation, shown)) > console.width:
            shown = shown[:-1]
    print_table(_table(evaluation, shown), console)
    if hidden := evaluation.measures[len(shown) :]:
        print_line(f"see the report for {', '.join(hidden)}", console)
    if not evaluation.measurements:
        print_line("no labels, so no measures", console)


def _table(evaluation: Evaluation, measures: Sequence[str]) -> Table:
    compared = [f"{evaluation.main_measure} over {evaluation.baseline}"] if evaluation.comparisons else []
    table = new_table("system", [*measures, *compared])
    table.columns[0].no_wrap = True
    for system in evaluation.systems:
        best = system == evaluation.best_system
        table.add_row(*_cells(evaluation, system, measures), style="bold" if best else "")
    return table


def _cells(evaluation: Evaluation, system: str, measures: Sequence[str]) -> list[Text]:
    measurements = [evaluation.measurement(system, measure) for measure in measures]
    cells = [Text(system), *[Text(MISSING if m is None else points(m.value)) for m in measurements]]
    if evaluation.comparisons:
        cells.append(_comparison(evaluation, system))
    return cells


def _comparison(evaluation: Evaluation, system: str) -> Text:
    comparison = evaluation.comparison(system, evaluation.main_measure)
    if comparison is None:
        return Text(MISSING)
    cell = difference_cell(comparison)
    return Text(f"{cell.text}  {cell.small}", style=ROLE_STYLES[cell.role])
