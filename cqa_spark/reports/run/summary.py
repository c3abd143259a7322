"""The sentences that summarise a run."""

from __future__ import annotations

from cqa_spark.reports.kit.numbers import count, counted, points, signed_points
from cqa_spark.reports.kit.significance import verdict
from cqa_spark.reports.kit.units import duration
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.systems.content import Comparison, Evaluation, Measurement
from cqa_spark.reports.run.systems.wording import evidence

_CONCLUSION = {
    "better": "a statistically significant gain",
    "worse": "a statistically significant loss",
    "unclear": "not statistically significant",
}


def summary(report: RunReport) -> tuple[str, ...]:
    """Size of the evaluation, the best system, its comparisons, input records and duration."""
    evaluation = report.evaluation
    counts = (
        f"{counted(evaluation.queries, 'query', 'queries')} of the {evaluation.split} split, "
        f"{counted(evaluation.candidates, 'candidate')}, {counted(len(evaluation.systems), 'system')}"
    )
    if evaluation.best is None:
        sentences = [f"{counts}. {unmeasured(report)}"]
    else:
        sentences = [f"{counts}.", _best_sentence(evaluation, evaluation.best)]
    if evaluation.best is not None and evaluation.best_comparison is not None:
        sentences.append(_comparison_sentence(evaluation, evaluation.best_comparison))
    if evaluation.runner_up is not None:
        sentences.append(_runner_up_sentence(evaluation.runner_up, evaluation.systems[1]))
    sentences.append(_intake_sentence(report))
    return tuple(sentences)


def unmeasured(report: RunReport) -> str:
    """Why rankings have no measures: without labels, or undefined because no candidate of the split is relevant."""
    judged = any(sum(of_system.not_relevant) for of_system in report.histograms)
    if not judged:
        return "The split has no labels, so its rankings have no measures."
    return "No query of the split has a relevant candidate, so the measures of its rankings are undefined."


def _best_sentence(evaluation: Evaluation, best: Measurement) -> str:
    what = "bootstrap interval of the mean" if evaluation.by_query else "bootstrap interval"
    return (
        f"{best.system} has a {best.measure} of {points(best.value)}; {best.confidence * 100:.0f} % {what}: "
        f"{points(best.low)} to {points(best.high)}."
    )


def _comparison_sentence(evaluation: Evaluation, comparison: Comparison) -> str:
    by_query = (
        f": better on {counted(comparison.wins, 'query', 'queries')}, equal on {count(comparison.ties)}, "
        f"worse on {count(comparison.losses)}"
    )
    return (
        f"The difference from {evaluation.baseline} is {signed_points(comparison.difference)} points, "
        f"{_CONCLUSION[verdict(comparison)]} ({_unbroken(evidence(comparison))})"
        f"{by_query if evaluation.by_query else ''}."
    )


def _runner_up_sentence(comparison: Comparison, second: str) -> str:
    return (
        f"The difference from the second best system, {second}, is {signed_points(comparison.difference)} points, "
        f"{_CONCLUSION[verdict(comparison)]} ({_unbroken(evidence(comparison))})."
    )


def _intake_sentence(report: RunReport) -> str:
    intake = report.intake
    took = f"The run took {duration(report.run.seconds)}."
    if intake.rows_in == 0:
        return took
    if intake.rows_quarantined == 0:
        return f"All {count(intake.rows_in)} input records were parsed. {took}"
    verb = "was" if intake.rows_quarantined == 1 else "were"
    return f"{count(intake.rows_quarantined)} of {count(intake.rows_in)} input records {verb} quarantined. {took}"


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")
