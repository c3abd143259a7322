"""What distinguishes an answer from its neighbour in the ranking, in words and units."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from cqa_spark.reports.kit.wording import MINUS, counted

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
        "; ".join(_reasons(values, *_neighbour(ranked, index))) if len(ranked) > 1 else ""
        for index, values in enumerate(ranked)
    ]


def _neighbour(ranked: Sequence[Values], index: int) -> tuple[Values, str]:
    is_last = index == len(ranked) - 1
    return (ranked[index - 1], "the answer above") if is_last else (ranked[index + 1], "the next answer")


def _reasons(own: Values, neighbour: Values, than: str) -> Iterator[str]:
    if votes := _difference(own, neighbour, _NET):
        yield f"{counted(abs(votes), 'vote')} {'more' if votes > 0 else 'fewer'} than {than}"
    if characters := _difference(own, neighbour, _LENGTH):
        yield f"{counted(abs(characters), 'character')} {'longer' if characters > 0 else 'shorter'} than {than}"
    if own.get(_BY_ASKER) and not neighbour.get(_BY_ASKER):
        yield "the asker wrote it"
    if _difference(own, neighbour, _ACCEPTED) or _difference(own, neighbour, _ANSWERS):
        answers, accepted = _count(own[_ANSWERS]), _count(own[_ACCEPTED])
        record = f"{accepted:,} of {counted(answers, 'answer')} accepted" if answers else "no answers before"
        yield f"its author had {record}"


def _difference(own: Values, neighbour: Values, feature: str) -> int:
    """The difference of counts; 0 where the feature is absent."""
    return _count(own[feature]) - _count(neighbour[feature]) if feature in own and feature in neighbour else 0


def _count(logarithm: float) -> int:
    """The number whose signed logarithm, ln(1 + |x|), is given."""
    return round(float(np.sign(logarithm) * np.expm1(abs(logarithm))))


# The contributions of features to scores, as plain values.

_SCALED = re.compile(r"ln\(1 \+ ([^()]+)\)|1 where (.+)")
"""A count on a logarithmic scale, or a flag."""


@dataclass(frozen=True)
class FeatureContribution:
    """The contribution of one feature to a candidate's score.

    Attributes:
        feature: column of the feature, prefixed with its group.
        value: value of the feature.
        by: change of the score, on the ranker's own scale (log odds for classifiers).
        is_time: whether the value is a timestamp, in seconds since 1970.
        about: meaning of the feature; empty if unknown.
    """

    feature: str
    value: float
    by: float
    is_time: bool = False
    about: str = ""

    @property
    def group(self) -> str:
        """The feature group."""
        return self.feature.partition("__")[0]

    @property
    def plain(self) -> str:
        """The meaning without its scale, or the column where the meaning is unknown."""
        scaled = _SCALED.fullmatch(self.about)
        return (scaled[1] or scaled[2]) if scaled else self.about or self.feature

    @property
    def label(self) -> str:
        """Group and meaning, or the column where the meaning is unknown."""
        return feature_label(self.group, self.about) if self.about else self.feature


def feature_label(group: str, about: str) -> str:
    """The name of a feature for readers: its group, and what it means."""
    return f"{group} · {about}"


def feature_value(contribution: FeatureContribution) -> str:
    """The value of a feature in at most six digits; a timestamp as UTC date and time, where 0 means unknown."""
    if not contribution.is_time:
        return f"{contribution.value:.6g}".replace("-", MINUS)
    return f"{datetime.fromtimestamp(contribution.value, UTC):%Y-%m-%d %H:%M}" if contribution.value else "unknown"
