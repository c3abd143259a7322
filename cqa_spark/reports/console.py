"""The table of systems and measures that the terminal shows after a run."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from cqa_spark.reports.content.measures import Evaluation
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.wording import MISSING, counted, p_value, points, readable, signed_points, verdict

_STYLE = {"better": "green", "worse": "red", "unclear": "dim", "": ""}


def print_systems(report: RunReport, console: Console) -> None:
    """Print systems and their measures, best first; colours only where the console is a terminal.

    A terminal that is too narrow for all measures shows the first ones; a file or pipe always gets all of them.

    Args:
        report: the run's report.
        console: where to print.
    """
    evaluation = report.evaluation
    queries, candidates = counted(evaluation.queries, "query", "queries"), counted(evaluation.candidates, "candidate")
    console.print(
        f"{readable(evaluation.task)} on {evaluation.split}: {queries}, {candidates}", highlight=False, soft_wrap=True
    )
    shown = evaluation.measures
    if console.is_terminal:
        while len(shown) > 1 and width_of(_table(evaluation, shown)) > console.width:
            shown = shown[:-1]
    table = _table(evaluation, shown)
    wide_enough = console if console.is_terminal else Console(file=console.file, width=width_of(table))
    wide_enough.print(table)
    if hidden := evaluation.measures[len(shown) :]:
        console.print(f"also in the report: {', '.join(hidden)}", highlight=False, soft_wrap=True)
    if not evaluation.measurements:
        console.print("No label is known: nothing was measured.", highlight=False, soft_wrap=True)


def _table(evaluation: Evaluation, measures: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("system", no_wrap=True)
    for measure in measures:
        table.add_column(measure, justify="right", no_wrap=True)
    if evaluation.comparisons:
        table.add_column(f"{evaluation.main_measure} over {evaluation.baseline}", justify="right", no_wrap=True)
    for system in evaluation.systems:
        best = system == evaluation.best_system
        table.add_row(*_cells(evaluation, system, measures), style="bold" if best else "")
    return table


def width_of(table: Table) -> int:
    """Columns that the table takes where nothing is cut."""
    unlimited = Console(width=1000)
    return Measurement.get(unlimited, unlimited.options, table).maximum


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
    return Text(
        f"{signed_points(comparison.difference)}  {p_value(comparison.p_value)}", style=_STYLE[verdict(comparison)]
    )
