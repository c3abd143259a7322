"""Prints the table of systems and measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable, number
from cqa_spark.reports.kit.console import ROLE_STYLES, print_grid
from cqa_spark.reports.kit.grid import Grid, difference_cell
from cqa_spark.reports.kit.numbers import MISSING, counted, points, signed_points
from cqa_spark.reports.kit.text import readable
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.summary import unmeasured
from cqa_spark.reports.run.systems.content import Evaluation
from cqa_spark.reports.run.systems.wording import evidence


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
        terminal.line(unmeasured(report))


def print_tests(report: RunReport, terminal: Terminal) -> None:
    """Print the paired tests: each system and the baseline on every measure, then others on the main measure.

    Args:
        report: report of the run.
        terminal: where to print.
    """
    evaluation = report.evaluation
    if not evaluation.comparisons:
        return
    others = [system for system in evaluation.systems if system != evaluation.baseline]
    rows = tuple(
        (system, tuple(difference_cell(evaluation.comparison(system, measure)) for measure in evaluation.measures))
        for system in others
    )
    print_grid(
        Grid(
            title=f"Differences from {evaluation.baseline}",
            about="Paired randomization tests over queries, adjusted by Holm.",
            headings=("system", *evaluation.measures),
            rows=rows,
        ),
        terminal,
    )
    further = [(evaluation.runner_up, ", the second best")] if evaluation.runner_up else []
    for found, which in (*further, *((margin, "") for margin in evaluation.margins)):
        terminal.line(
            f"{found.measure} of {found.system} over {found.baseline}{which}: {signed_points(found.difference)} "
            f"({evidence(found)})"
        )


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
