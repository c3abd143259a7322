"""The ranges that rankers declare beside their parameters, for a tuning job to draw from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

DIGITS = 3
"""Significant digits of a drawn number: what a person would write into a recipe."""


@dataclass(frozen=True)
class Between:
    """A range of numbers; written beside a parameter's type, as in ``Annotated[float, Between(0.01, 1, log=True)]``.

    Attributes:
        low: the smallest value.
        high: the largest value.
        log: whether 0.01 to 0.1 is as wide as 0.1 to 1.
        whole: whether only whole numbers are drawn.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def draw(self, random: Random) -> float | int:
        """A number of the range, rounded to ``DIGITS`` significant digits, or to a whole number."""
        if self.log:
            drawn = math.exp(random.uniform(math.log(self.low), math.log(self.high)))
        else:
            drawn = random.uniform(self.low, self.high)
        kept = min(max(drawn, self.low), self.high)
        return round(kept) if self.whole else float(f"{kept:.{DIGITS}g}")


def declared_ranges(parameters_type: Any) -> dict[str, Between]:
    """The ranges of a ranker's parameters, by parameter."""
    return {
        name: range_
        for name, field in parameters_type.model_fields.items()
        for range_ in field.metadata
        if isinstance(range_, Between)
    }
