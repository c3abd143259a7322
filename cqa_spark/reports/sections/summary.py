"""The head of a run's report: the best system, the size of the evaluation, and what was read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable, number
from cqa_spark.reports.evaluation import Comparison, Evaluation, Measurement, evaluation
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.tables import ROLE_STYLES, difference_cell
from cqa_spark.reports.kit.wording import (
    MISSING,
    count,
    counted,
    duration,
    evidence,
    points,
    readable,
    signed_points,
    verdict,
)
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Head
from cqa_spark.reports.sections import intake, night_worth
from cqa_spark.reports.sections.record import seconds
from cqa_spark.reports.sections.scores import count_scores

_CONCLUSION = {
    "better": "a statistically significant gain",
    "worse": "a statistically significant loss",
    "unclear": "not statistically significant",
}


@dataclass(frozen=True)
class RunSummary:
    """What the head says.

    Attributes:
        evaluation: measures of the systems.
        record: record of the run.
        is_judged: whether a candidate of the split is labelled as not relevant.
        rows_in: number of records read.
        rows_quarantined: number of quarantined records.
        night: what a night is worth, in sentences, for tasks that are measured on replayed nights.
    """

    evaluation: Evaluation
    record: RunRecord
    is_judged: bool
    rows_in: int = 0
    rows_quarantined: int = 0
    night: tuple[str, ...] = ()


def data(run: ReportedRun) -> RunSummary:
    """The values of the head."""
    read, scored = run.once(intake.data) or intake.Intake(), run.once(count_scores)
    is_judged = any(sum(histogram.not_relevant) for histogram in scored.histograms)
    night = night_worth.sentences(run.once(night_worth.data)) if night_worth.SECTION.applies_to(run) else ()
    return RunSummary(run.once(evaluation), run.record, is_judged, read.rows_in, read.rows_quarantined, night)


def page(summary: RunSummary) -> Markup:
    """The header of the page."""
    return fragment(
        "sections/summary.html.j2",
        summary=summary,
        evaluation=summary.evaluation,
        run=summary.record,
        seconds=seconds(summary.record),
        sentences=sentences(summary),
    )


def console(summary: RunSummary, terminal: Terminal) -> None:
    """Print the systems and their measures, best first.

    A terminal that is too narrow for all measures shows the first ones; a file or pipe always gets all of them.
    """
    evaluated = summary.evaluation
    terminal.line(f"{readable(evaluated.task)}: {_queries(evaluated)}, {counted(evaluated.candidates, 'candidate')}")
    shown = evaluated.measures
    while terminal.width and len(shown) > 1 and _table(evaluated, shown).width > terminal.width:
        shown = shown[:-1]
    terminal.table(_table(evaluated, shown))
    if hidden := evaluated.measures[len(shown) :]:
        terminal.line(f"see the report for {', '.join(hidden)}")
    if not evaluated.measurements:
        terminal.line(_unmeasured(summary))


def sentences(summary: RunSummary) -> tuple[str, ...]:
    """Size of the evaluation, the best system, its comparisons, input records and duration."""
    evaluated = summary.evaluation
    counts = (
        f"{_queries(evaluated)}, {counted(evaluated.candidates, 'candidate')}, "
        f"{counted(len(evaluated.systems), 'system')}."
    )
    if evaluated.best is None:
        if summary.night:
            return counts, *summary.night, _intake_sentence(summary)
        return f"{counts} {_unmeasured(summary)}", _intake_sentence(summary)
    compared, runner_up = evaluated.best_comparison, evaluated.runner_up
    return (
        counts,
        _best_sentence(evaluated, evaluated.best),
        *([_comparison_sentence(evaluated, compared)] if compared else []),
        *([_runner_up_sentence(runner_up, evaluated.systems[1])] if runner_up else []),
        _intake_sentence(summary),
    )


def _queries(evaluated: Evaluation) -> str:
    """The number of queries, with their split if it has labels."""
    queries = counted(evaluated.queries, "query", "queries")
    return f"{queries} to rank" if evaluated.split == UNANNOTATED else f"{queries} of the {evaluated.split} split"


def _unmeasured(summary: RunSummary) -> str:
    """Why rankings have no measures: without labels, or undefined because no candidate of the split is relevant."""
    if not summary.is_judged:
        return "The split has no labels, so its rankings have no measures."
    return "No query of the split has a relevant candidate, so the measures of its rankings are undefined."


def _best_sentence(evaluated: Evaluation, best: Measurement) -> str:
    what = "bootstrap interval of the mean" if evaluated.by_query else "bootstrap interval"
    return (
        f"{best.system} has a {best.measure} of {points(best.value)}; {best.confidence * 100:.0f} % {what}: "
        f"{points(best.low)} to {points(best.high)}."
    )


def _comparison_sentence(evaluated: Evaluation, comparison: Comparison) -> str:
    by_query = (
        f": better on {counted(comparison.wins, 'query', 'queries')}, equal on {count(comparison.ties)}, "
        f"worse on {count(comparison.losses)}"
    )
    return (
        f"The difference from {evaluated.baseline} is {signed_points(comparison.difference)} points, "
        f"{_CONCLUSION[verdict(comparison)]} ({_unbroken(evidence(comparison))})"
        f"{by_query if evaluated.by_query else ''}."
    )


def _runner_up_sentence(comparison: Comparison, second: str) -> str:
    return (
        f"The difference from the second best system, {second}, is {signed_points(comparison.difference)} points, "
        f"{_CONCLUSION[verdict(comparison)]} ({_unbroken(evidence(comparison))})."
    )


def _intake_sentence(summary: RunSummary) -> str:
    took = f"The run took {duration(seconds(summary.record))}."
    if summary.rows_in == 0:
        return took
    if summary.rows_quarantined == 0:
        return f"All {count(summary.rows_in)} input records were parsed. {took}"
    verb = "was" if summary.rows_quarantined == 1 else "were"
    return f"{count(summary.rows_quarantined)} of {count(summary.rows_in)} input records {verb} quarantined. {took}"


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _table(evaluated: Evaluation, measures: Sequence[str]) -> TextTable:
    compared = [f"{evaluated.main_measure} over {evaluated.baseline}"] if evaluated.comparisons else []
    table = TextTable(Column("system", whole=True), *map(number, [*measures, *compared]))
    for system in evaluated.systems:
        best = system == evaluated.best_system
        table.add_row(*_cells(evaluated, system, measures), style="bold" if best else "")
    return table


def _cells(evaluated: Evaluation, system: str, measures: Sequence[str]) -> Iterator[str | Styled]:
    yield system
    for measure in measures:
        measured = evaluated.measurement(system, measure)
        yield MISSING if measured is None else points(measured.value)
    if evaluated.comparisons:
        yield _comparison(evaluated, system)


def _comparison(evaluated: Evaluation, system: str) -> str | Styled:
    comparison = evaluated.comparison(system, evaluated.main_measure)
    if comparison is None:
        return MISSING
    cell = difference_cell(comparison)
    return Styled(f"{cell.text}  {cell.small}", ROLE_STYLES[cell.role])


HEAD = Head(
    data,
    page,
    title=lambda summary: " · ".join(
        (summary.evaluation.best_system, readable(summary.evaluation.task), summary.record.run_id)
    ),
    provenance=lambda summary: f"cqa-spark {summary.record.code_version}",
    console=console,
    optional=(RANKINGS, EXAMPLES, METRICS, COMPARISONS, INGESTED_FILES),
)
