"""How the report writes numbers, and the sentences that sum it up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from cqa_spark.reports.content.measures import Comparison, Measurement
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.content.stories import Push
from cqa_spark.reports.experiments import CrossValidation

SIGNIFICANT = 0.05
"""Differences with a smaller p-value are marked as better or worse."""

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"


def points(fraction: float) -> str:
    """A fraction as percentage with two decimals, as the field prints measures: ``0.53842`` is ``53.84``."""
    return f"{fraction * 100:.2f}"


def signed_points(fraction: float) -> str:
    """A difference of fractions in points, with its sign."""
    text = points(abs(fraction))
    if text == "0.00":
        return text
    return f"{'+' if fraction > 0 else MINUS}{text}"


def interval(low: float, high: float) -> str:
    """The ends of an interval of fractions, in points."""
    return f"{points(low)}\N{EN DASH}{points(high)}"


def score(value: float) -> str:
    """A ranker's score; its scale is the ranker's own."""
    return f"{value:.3f}".replace("-", MINUS)


def signed(value: float) -> str:
    """How far something moved a score, with its sign."""
    return f"{'+' if value > 0 else MINUS}{abs(value):.3f}"


def feature_value(push: Push) -> str:
    """A feature's value, without needless digits; a moment as a date, where 0 stands for none."""
    if not push.is_time:
        return f"{push.value:.6g}".replace("-", MINUS)
    return f"{datetime.fromtimestamp(push.value, UTC):%Y-%m-%d %H:%M}" if push.value else "not known"


def p_value(value: float) -> str:
    """A p-value with its relation: ``p < 0.001`` or ``p = 0.042``."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def count(number: int) -> str:
    """A whole number with separators at the thousands."""
    return f"{number:,}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number with what it counts: ``1 query``, ``2,440 candidates``; other plurals than with s are given."""
    return f"{count(number)} {singular if number == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """A time as a person says it: ``0.84 s``, ``12.3 s``, ``3 min 05 s``, ``2 h 04 min``."""
    if seconds < 59.95:
        return f"{seconds:.2f} s" if seconds < 0.995 else f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def size(number: int | None) -> str:
    """A number of bytes in decimal units."""
    if number is None:
        return "unknown"
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= scale:
            return f"{number / scale:.1f} {unit}"
    return f"{number} B"


def readable(name: str) -> str:
    """A task's or step's name for people: ``question_comment`` is ``question comment``."""
    return name.replace("_", " ")


class Tested(Protocol):
    """A difference, a fraction, and the two-sided p-value of its test."""

    @property
    def difference(self) -> float:
        """The difference."""

    @property
    def p_value(self) -> float:
        """Its p-value."""


def verdict(comparison: Tested | None) -> str:
    """What the test says of a system: better, worse or unclear; empty where there was no test."""
    if comparison is None:
        return ""
    if comparison.p_value >= SIGNIFICANT or comparison.difference == 0:
        return "unclear"
    return "better" if comparison.difference > 0 else "worse"


def no_choice_between(found: Sequence[CrossValidation]) -> str:
    """Which systems the cross-validation cannot tell from the best one.

    Args:
        found: best first; at least one.
    """
    best, *others = found
    alike = [each.system for each in others if verdict(each) == "unclear"]
    if not others:
        return f"{best.system} alone was tried."
    if not alike:
        return f"{best.system} is better than every other system here by more than chance explains."
    names = ", ".join(alike[:-1]) + " and " + alike[-1] if alike[1:] else alike[0]
    return (
        f"{best.system} has the highest mean, but chance alone could put it above {names}: nothing here is a reason to "
        f"prefer it to {'them' if alike[1:] else 'that one'}."
    )


def summary(report: RunReport) -> tuple[str, ...]:
    """The page in a few plain sentences."""
    evaluation = report.evaluation
    counts = (
        f"{counted(evaluation.queries, 'query', 'queries')} of the {evaluation.split} part, "
        f"{counted(evaluation.candidates, 'candidate')}, {counted(len(evaluation.systems), 'system')}"
    )
    if evaluation.best is None:
        sentences = [f"{counts}. No label is known, so nothing is measured: this page shows the rankings alone."]
    else:
        sentences = [f"{counts}.", _best_sentence(evaluation.best)]
    if evaluation.best is not None and evaluation.best_comparison is not None:
        sentences.append(_comparison_sentence(evaluation.best_comparison, str(evaluation.baseline)))
    sentences.append(_intake_sentence(report))
    return tuple(sentences)


def _best_sentence(best: Measurement) -> str:
    return (
        f"{best.system} reaches {best.measure} {points(best.value)}; other queries of the same kind would give "
        f"{points(best.low)} to {points(best.high)} ({best.confidence * 100:.0f} % interval)."
    )


def _comparison_sentence(comparison: Comparison, baseline: str) -> str:
    conclusion = {
        "better": "more than chance explains",
        "worse": "a loss that chance does not explain",
        "unclear": "which chance alone could explain",
    }[verdict(comparison)]
    return (
        f"Against {baseline} that is {signed_points(comparison.difference)} points, {conclusion} "
        f"({_unbroken(p_value(comparison.p_value))}): better on {counted(comparison.wins, 'query', 'queries')}, "
        f"equal on {count(comparison.ties)}, worse on {count(comparison.losses)}."
    )


def _intake_sentence(report: RunReport) -> str:
    intake = report.intake
    took = f"The run took {duration(report.run.seconds)}."
    if intake.rows_in == 0:
        return took
    if intake.rows_quarantined == 0:
        return f"All {count(intake.rows_in)} input records were understood. {took}"
    return (
        f"{count(intake.rows_quarantined)} of {count(intake.rows_in)} input records could not be understood "
        f"and stand in quarantine. {took}"
    )


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")
