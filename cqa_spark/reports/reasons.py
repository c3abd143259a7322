"""What distinguishes an answer from its neighbour in the ranking, in words and units."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from cqa_spark.reports.kit.numbers import counted

Values = Mapping[str, float]
"""Values of features by column, such as ``answer_standing_asof_v1__net``."""

_NET, _LENGTH = "answer_standing_asof_v1__net", "answer_markup_asof_v1__characters"
_ANSWERS, _ACCEPTED = "author_record_asof_v1__answers", "author_record_asof_v1__accepted"
_BY_ASKER = "answer_timing_asof_v1__by_asker"

REASON_FEATURES = (_NET, _LENGTH, _ANSWERS, _ACCEPTED, _BY_ASKER)
"""The columns that reasons are made of."""


def reasons(ranked: Sequence[Values]) -> list[str]:
    """A sentence for each answer of a thread, on what differs from the next answer; from the one above for the last.

    Args:
        ranked: values of the answers, best first; features that are absent are not mentioned.

    Returns:
        Sentences such as "12 votes more than the next answer; its author had 3 of 5 answers accepted", or empty texts
        where nothing that can be said differs.
    """
    return [
        "; ".join(_reasons(values, *_neighbour(ranked, place))) if len(ranked) > 1 else ""
        for place, values in enumerate(ranked)
    ]


def _neighbour(ranked: Sequence[Values], place: int) -> tuple[Values, str]:
    is_last = place == len(ranked) - 1
    return (ranked[place - 1], "the answer above") if is_last else (ranked[place + 1], "the next answer")


def _reasons(own: Values, other: Values, than: str) -> Iterator[str]:
    if votes := _difference(own, other, _NET):
        yield f"{counted(abs(votes), 'vote')} {'more' if votes > 0 else 'fewer'} than {than}"
    if characters := _difference(own, other, _LENGTH):
        yield f"{counted(abs(characters), 'character')} {'longer' if characters > 0 else 'shorter'} than {than}"
    if own.get(_BY_ASKER) and not other.get(_BY_ASKER):
        yield "the asker wrote it"
    if _difference(own, other, _ACCEPTED) or _difference(own, other, _ANSWERS):
        answers, accepted = _count(own[_ANSWERS]), _count(own[_ACCEPTED])
        record = f"{accepted:,} of {counted(answers, 'answer')} accepted" if answers else "no answers before"
        yield f"its author had {record}"


def _difference(own: Values, other: Values, feature: str) -> int:
    """The difference of counts; 0 where the feature is absent."""
    return _count(own[feature]) - _count(other[feature]) if feature in own and feature in other else 0


def _count(logarithm: float) -> int:
    """The number whose signed logarithm, ln(1 + |x|), is given."""
    return round(float(np.sign(logarithm) * np.expm1(abs(logarithm))))
