"""The sentences that sum the experiment up."""

from __future__ import annotations

from collections.abc import Iterator

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED
from cqa_spark.reports.preferred_answer.content import AnswerStudy, Search
from cqa_spark.reports.preferred_answer.labels import AS_OF, is_baseline, label, ranker_and_variant
from cqa_spark.reports.wording import counted, p_value, points, signed_points, verdict

UNSURE = 0.05
"""Half the width of an interval from which on a site is called too small to tell systems apart."""


def of_part(study: AnswerStudy) -> str:
    """What was measured on, with the number of questions."""
    questions = counted(study.figure(study.baseline, EVERY, study.measures[0]).queries, "question")
    if study.part == CROSS_VALIDATED:
        return f"all {questions}, each ranked by a model of the other folds"
    return f"{questions} of the {study.part} part"


def too_small(study: AnswerStudy) -> Iterator[str]:
    """A sentence for every site whose figures are too unsure to conclude anything from them alone."""
    for site in study.sites:
        figure = study.figure(study.baseline, site, study.measures[0])
        unsure = (figure.high - figure.low) / 2
        if unsure > UNSURE:
            yield (
                f"{site} is too small to tell most systems apart: with {counted(figure.queries, 'question')}, a figure "
                f"is unsure by {points(unsure)} points."
            )


def conclusions(study: AnswerStudy) -> tuple[str, ...]:
    """For every system as of the cut: which baselines it beats, and which it cannot be told from."""
    return tuple(_conclusion(study, system) for system in study.systems if _is_as_of(system))


def outcome(search: Search) -> str:
    """What a search for parameters chose."""
    if not search.parameters:
        return "the recipe's own"
    return ", ".join(f"{path} {value}" for path, value in search.parameters.items())


def _conclusion(study: AnswerStudy, system: str) -> str:
    baselines = [each for each in study.systems if is_baseline(each)]
    found = {other: study.contrast(system, other) for other in baselines}
    beaten = [other for other, each in found.items() if verdict(each) == "better"]
    rest = [other for other in baselines if other not in beaten]
    name = label(system)
    if not rest:
        closest = min(filter(None, found.values()), key=lambda each: each.difference)
        return (
            f"{name}: better than every baseline; the closest is {label(closest.baseline)} "
            f"({signed_points(closest.difference)} points, {p_value(closest.p_value)})."
        )
    lost = [other for other in rest if verdict(found[other]) == "worse"]
    unclear = [other for other in rest if other not in lost]
    parts = [
        f"better than {_listed(beaten)}" if beaten else "",
        f"not to be told from {_listed(unclear)}" if unclear else "",
        f"worse than {_listed(lost)}" if lost else "",
    ]
    return f"{name}: {'; '.join(filter(None, parts))}."


def _is_as_of(system: str) -> bool:
    return not is_baseline(system) and ranker_and_variant(system)[1] == AS_OF


def _listed(systems: list[str]) -> str:
    return ", ".join(map(label, systems))
