"""The wording of comparisons."""

from __future__ import annotations

from cqa_spark.reports.kit.numbers import p_value, signed_points
from cqa_spark.reports.run.systems.content import Comparison


def difference_interval(comparison: Comparison) -> str:
    """The interval of a difference in percentage points; empty if unknown."""
    if comparison.difference_low is None or comparison.difference_high is None:
        return ""
    return f"{signed_points(comparison.difference_low)} to {signed_points(comparison.difference_high)}"


def evidence(comparison: Comparison) -> str:
    """The interval of a difference, if known, and the p-value."""
    return ", ".join(filter(None, [difference_interval(comparison), p_value(comparison.p_value)]))
