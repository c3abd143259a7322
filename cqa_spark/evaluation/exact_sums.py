"""Sums that do not depend on the order of their terms: terms are split into digits, whose sums are exact.

The digits of a term are whole numbers: the term, rounded, and then the rest in units of the next power of 1 / ``BASE``.
Whole numbers are added without rounding, in any order and on any partitions.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyspark.sql import Column

BASE = 2**32
"""Sums of two billion digits fit a 64-bit integer, and sums of two million a 64-bit float."""

Terms = TypeVar("Terms", "NDArray[np.float64]", "Column")
Sums = TypeVar("Sums", "NDArray[np.float64]", Fraction)


def digits(terms: Terms, number: int, rint: Callable[[Terms], Terms]) -> list[Terms]:
    """The digits of terms, the largest first.

    Args:
        terms: 64-bit floats.
        number: number of digits; the sums are exact for terms that are multiples of ``BASE`` ** (1 - number).
        rint: rounds to whole numbers: ``numpy.rint`` or that of Spark.
    """
    found: list[Terms] = []
    rest = terms
    for _ in range(number):
        found.append(rint(rest))
        rest = (rest - found[-1]) * BASE
    return found


def from_digits(sums: Sequence[Sums]) -> Sums:
    """The sum of the terms.

    Args:
        sums: the sum of each digit, the largest first.
    """
    total = sums[0]
    for place, digit in enumerate(sums[1:], start=1):
        total = total + digit / BASE**place
    return total
