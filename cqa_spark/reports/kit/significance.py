"""Which differences are statistically significant."""

from __future__ import annotations

from typing import Protocol

SIGNIFICANT = 0.05
"""Significance level: a difference with a smaller p-value is marked as better or worse."""


class Tested(Protocol):
    """A difference of two fractions, with the two-sided p-value of its test."""

    @property
    def difference(self) -> float:
        """The difference."""

    @property
    def p_value(self) -> float:
        """Its p-value."""


def verdict(comparison: Tested | None) -> str:
    """The outcome of a test: better, worse, or unclear if not significant; empty without a test."""
    if comparison is None:
        return ""
    if comparison.p_value >= SIGNIFICANT or comparison.difference == 0:
        return "unclear"
    return "better" if comparison.difference > 0 else "worse"
