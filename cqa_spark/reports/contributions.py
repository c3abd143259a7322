"""The contributions of features to scores, as plain values."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from cqa_spark.reports.kit.numbers import MINUS

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


def signed(value: float) -> str:
    """A contribution to a score, with its sign."""
    return f"{'+' if value > 0 else MINUS}{abs(value):.3f}"


def feature_value(contribution: FeatureContribution) -> str:
    """The value of a feature in at most six digits; a timestamp as UTC date and time, where 0 means unknown."""
    if not contribution.is_time:
        return f"{contribution.value:.6g}".replace("-", MINUS)
    return f"{datetime.fromtimestamp(contribution.value, UTC):%Y-%m-%d %H:%M}" if contribution.value else "unknown"
