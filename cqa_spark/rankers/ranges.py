"""The ranges that rankers declare for their parameters, from which a tuning job samples."""

import math
from dataclasses import dataclass
from random import Random
from typing import Any

DIGITS = 3
"""Number of significant digits of a sampled value, so that recipes stay readable."""


@dataclass(frozen=True)
class Between:
    """A range of numbers, as an annotation: ``Annotated[float, Between(0.01, 1, log=True)]``.

    Numbers are sampled on a logarithmic scale if ``log``, and integers if ``whole``.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def draw(self, random: Random) -> float | int:
        """Sample a number, rounded to ``DIGITS`` significant digits or to an integer."""
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
