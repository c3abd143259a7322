"""The head of a run's report: the best system, the size of the evaluation, and what was read."""

from dataclasses import dataclass

from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.lake.schemas.night import SERVED_ORDERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.reports.evaluation import Comparison, Evaluation, Measurement, evaluation
from cqa_spark.reports.kit.blocks import (
    NO_VALUE,
    Banner,
    Block,
    Cell,
    Number,
    Row,
    Span,
    Table,
    Text,
    difference_cell,
)
from cqa_spark.reports.kit.wording import (
    count,
    counted,
    duration,
    evidence,
    interval,
    p_value,
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
    night = run.once(night_worth.data)
    told = night_worth.sentences(night) if night is not None else ()
    return RunSummary(run.once(evaluation), run.record, is_judged, read.rows_in, read.rows_quarantined, told)


def banner(summary: RunSummary) -> Banner:
    """The best system with its main measure, the sentences, and the size of the run."""
    evaluated, record = summary.evaluation, summary.record
    best, compared, number = evaluated.best, evaluated.best_comparison, None
    if best:
        comparison = None
        if compared:
            over = f"over {readable(evaluated.baseline or '')}, {p_value(compared.p_value)}"
            comparison = signed_points(compared.difference), over, verdict(compared)
        interval = f"[{points(best.low)}, {points(best.high)}]"
        number = Number(evaluated.main_measure, points(best.value), interval, comparison)
    read = [("records read", summary.rows_in), ("quarantined", summary.rows_quarantined)] if summary.rows_in else []
    sizes = [
        ("queries", evaluated.queries),
        ("candidates", evaluated.candidates),
        ("systems", len(evaluated.systems)),
        *read,
    ]
    return Banner(
        title=" · ".join((evaluated.best_system, readable(evaluated.task), record.run_id)),
        provenance=f"cqa-spark {record.code_version}",
        eyebrow=(f"{readable(evaluated.task)} · {evaluated.split} · run ", Span(record.run_id, "bold")),
        heading=evaluated.best_system,
        facts=[*((name, count(size)) for name, size in sizes), ("time of steps", duration(seconds(record)))],
        sentences=sentences(summary),
        beside=True,
        number=number,
    )


def blocks(summary: RunSummary) -> list[Block]:
    """The systems and their measures, best first, with the comparison of the main measure in the last column."""
    evaluated = summary.evaluation
    size = f"{readable(evaluated.task)}: {_queries(evaluated)}, {counted(evaluated.candidates, 'candidate')}"
    has_comparisons = bool(evaluated.comparisons)
    compared = [f"{evaluated.main_measure} over {evaluated.baseline}"] if has_comparisons else []
    rows = []
    for system in evaluated.systems:
        measured = [evaluated.measurement(system, measure) for measure in evaluated.measures]
        cells = [NO_VALUE if measurement is None else Cell(points(measurement.value)) for measurement in measured]
        if has_comparisons:
            cells.append(difference_cell(evaluated.comparison(system, evaluated.main_measure)))
        rows.append(Row(system, cells, "best" if system == evaluated.best_system else ""))
    table = Table("", "", ("system", *evaluated.measures, *compared), rows, last_stays=has_comparisons)
    return [Text(size), table, *([] if evaluated.measurements else [Text(_unmeasured(summary))])]


def sentences(summary: RunSummary) -> tuple[str, ...]:
    """Size of the evaluation, the best system, its comparisons, input records and duration."""
    evaluated = summary.evaluation
    counts = (
        f"{_queries(evaluated)}, {counted(evaluated.candidates, 'candidate')}, "
        f"{counted(len(evaluated.systems), 'system')}."
    )
    if evaluated.best is None:
        if summary.night:
            return *([counts] if evaluated.queries else []), *summary.night, _intake_sentence(summary)
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
        f"{interval(best.low, best.high)}."
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
    took = f"The steps took {duration(seconds(summary.record))} in all."
    if summary.rows_in == 0:
        return took
    if summary.rows_quarantined == 0:
        return f"All {count(summary.rows_in)} input records were parsed. {took}"
    verb = "was" if summary.rows_quarantined == 1 else "were"
    return f"{count(summary.rows_quarantined)} of {count(summary.rows_in)} input records {verb} quarantined. {took}"


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


HEAD = Head(data, banner, blocks, optional=(RANKINGS, EXAMPLES, METRICS, COMPARISONS, SERVED_ORDERS, INGESTED_FILES))
