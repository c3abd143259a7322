"""The conclusions of the experiment, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED
from cqa_spark.reports.kit.numbers import counted, p_value, points, signed_points
from cqa_spark.reports.kit.significance import verdict
from cqa_spark.reports.preferred_answer.content import AnswerStudy, Search
from cqa_spark.reports.preferred_answer.labels import AS_OF, is_baseline, label, ranker_and_variant

WIDE_INTERVAL = 0.05
"""A site counts as too small if half the width of its interval, a fraction, exceeds this."""


def evaluation_set(study: AnswerStudy) -> str:
    """The questions of the evaluation, with their number."""
    questions = counted(study.figure(study.baseline, EVERY, study.measures[0]).queries, "question")
    if study.part == CROSS_VALIDATED:
        return f"all {questions}, by cross-validation"
    return f"{questions} of the {study.part} split"


def too_small(study: AnswerStudy) -> Iterator[str]:
    """A sentence for each site whose intervals are too wide for conclusions about that site alone."""
    for site in study.sites:
        figure = study.figure(study.baseline, site, study.measures[0])
        half_width = (figure.high - figure.low) / 2
        if half_width > WIDE_INTERVAL:
            questions = counted(figure.queries, "question")
            uncertainty = f"an uncertainty of ±{points(half_width)} points"
            yield f"{site} has only {questions}: {uncertainty} is too large to distinguish most systems."


def conclusions(study: AnswerStudy) -> tuple[str, ...]:
    """For each system as of the cut: the baselines that it is significantly better or worse than, and the others."""
    return tuple(_conclusion(study, system) for system in study.systems if _is_as_of(system))


def chosen_parameters(search: Search) -> str:
    """The parameters that a search chose."""
    return ", ".join(f"{path} {value}" for path, value in search.parameters.items()) or "default"


def _conclusion(study: AnswerStudy, system: str) -> str:
    found = {other: study.contrast(system, other) for other in study.systems if is_baseline(other)}
    by_verdict: dict[str, list[str]] = {"better": [], "unclear": [], "worse": []}
    for other, contrast in found.items():
        by_verdict[verdict(contrast) or "unclear"].append(other)
    if len(by_verdict["better"]) == len(found):
        closest = min(filter(None, found.values()), key=lambda each: each.difference)
        return (
            f"{label(system)}: significantly better than every baseline; the closest is {label(closest.baseline)} "
            f"({signed_points(closest.difference)} points, {p_value(closest.p_value)})."
        )
    openings = {
        "better": "significantly better than",
        "unclear": "no significant difference from",
        "worse": "significantly worse than",
    }
    parts = [f"{opening} {_listed(by_verdict[kind])}" for kind, opening in openings.items() if by_verdict[kind]]
    return f"{label(system)}: {'; '.join(parts)}."


def _is_as_of(system: str) -> bool:
    return not is_baseline(system) and ranker_and_variant(system)[1] == AS_OF


def _listed(systems: list[str]) -> str:
    return ", ".join(map(label, systems))
