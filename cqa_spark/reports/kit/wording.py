"""The wording that all reports share: names, lists of names, and the outcome of significance tests."""

import re
from collections.abc import Sequence
from math import isfinite
from typing import Protocol

# Number formats of all reports.

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"
"""Shown in place of a missing value."""


def points(fraction: float) -> str:
    """A fraction in percentage points, the unit of published results: ``0.53842`` is ``53.84``."""
    return f"{fraction * 100:.2f}"


def signed_points(fraction: float) -> str:
    """A difference of two fractions in percentage points, with its sign."""
    text = points(abs(fraction))
    if text == "0.00":
        return text
    return f"{'+' if fraction > 0 else MINUS}{text}"


def interval(low: float, high: float) -> str:
    """The bounds of an interval of fractions, in percentage points: ``[18.27, 19.30]``."""
    return f"[{points(low)}, {points(high)}]"


def signed_interval(low: float, high: float) -> str:
    """The bounds of an interval of a difference, in percentage points; those of a single cluster are unknown."""
    return f"[{signed_points(low)}, {signed_points(high)}]" if isfinite(low) and isfinite(high) else "unknown"


def score(value: float) -> str:
    """A ranker's score, on the ranker's own scale."""
    return f"{value:.3f}".replace("-", MINUS)


def signed(value: float) -> str:
    """A contribution to a score, with its sign."""
    return f"{'+' if value > 0 else MINUS}{abs(value):.3f}"


def p_value(value: float) -> str:
    """A p-value with its relation: ``p < 0.001`` or ``p = 0.042``."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def number(value: float) -> str:
    """A number with at most two decimals, without trailing zeros."""
    return f"{value:,.2f}".rstrip("0").rstrip(".").replace("-", MINUS)


def significant(value: float | None) -> str:
    """A number with at most four significant digits; a dash for None."""
    return MISSING if value is None else f"{value:.4g}".replace("-", MINUS)


def percent(part: int, whole: int) -> str:
    """A share in percent; only none of the whole is ``0 %``, and only all of it is ``100 %``."""
    if part in (0, whole):
        return "100 %" if part and whole else "0 %"
    share = 100 * part / whole
    if share < 0.05:
        return "< 0.1 %"
    return "> 99.9 %" if share >= 99.95 else f"{share:.1f} %"


def count(number: int) -> str:
    """An integer with thousands separators."""
    return f"{number:,}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """An integer with its noun: ``1 query``, ``2,440 candidates``.

    Args:
        number: the integer.
        singular: the noun.
        plural: its plural, where that is not the singular plus ``s``.
    """
    return f"{count(number)} {singular if number == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """A duration in its two largest units: ``0.84 s``, ``12.3 s``, ``3 min 05 s``, ``2 h 04 min``."""
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
    return f"[{signed_points(comparison.difference_low)}, {signed_points(comparison.difference_high)}]"


def evidence(comparison: ComparedValues) -> str:
    """The interval of a difference, if known, and the p-value."""
    return ", ".join(filter(None, [difference_interval(comparison), p_value(comparison.p_value)]))
