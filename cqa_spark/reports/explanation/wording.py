"""Formats of feature contributions."""

from __future__ import annotations

from datetime import UTC, datetime

from cqa_spark.reports.explanation.content import FeatureContribution
from cqa_spark.reports.kit.numbers import MINUS


def signed(value: float) -> str:
    """A contribution to a score, with its sign."""
    return f"{'+' if value > 0 else MINUS}{abs(value):.3f}"


def feature_value(contribution: FeatureContribution) -> str:
    """The value of a feature in at most six digits; a timestamp as UTC date and time, where 0 means unknown."""
    if not contribution.is_time:
        return f"{contribution.value:.6g}".replace("-", MINUS)
    return f"{datetime.fromtimestamp(contribution.value, UTC):%Y-%m-%d %H:%M}" if contribution.value else "unknown"
