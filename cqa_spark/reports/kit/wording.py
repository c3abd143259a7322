"""The wording that all reports share: names, lists of names, and the outcome of significance tests."""

import re
from collections.abc import Sequence
from typing import Protocol

from cqa_spark.reports.kit.numbers import p_value, signed_points

_WORDS = re.compile(r"[a-z ,]+")


def readable(name: str) -> str:
    """A task's, table's or step's name with spaces: ``ranked_users`` is ``ranked users``."""
    return name.replace("_", " ")


def heading(text: str) -> str:
    """The heading of a column on a page: words begin with a capital letter; names with other characters stay."""
    return text.capitalize() if _WORDS.fullmatch(text) else text


def listed(names: Sequence[str], limit: int) -> str:
    """The first names, separated by commas, and the number of the remaining ones."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def file_name(path: str) -> str:
    """The file and its folder, which distinguishes two dumps."""
    return "/".join(path.rsplit("/", 2)[-2:])


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


class ComparedValues(Tested, Protocol):
    """A tested difference with its interval."""

    @property
    def difference_low(self) -> float | None:
        """Lower end of the interval, a fraction; None if unknown."""

    @property
    def difference_high(self) -> float | None:
        """Upper end of the interval."""


def difference_interval(comparison: ComparedValues) -> str:
    """The interval of a difference in percentage points; empty if unknown."""
    if comparison.difference_low is None or comparison.difference_high is None:
        return ""
    return f"{signed_points(comparison.difference_low)} to {signed_points(comparison.difference_high)}"


def evidence(comparison: ComparedValues) -> str:
    """The interval of a difference, if known, and the p-value."""
    return ", ".join(filter(None, [difference_interval(comparison), p_value(comparison.p_value)]))
