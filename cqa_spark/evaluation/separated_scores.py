"""Distinct scores for files of rankings, which readers restore whatever they do with ties."""

from collections.abc import Iterator, Sequence
from typing import Literal

_LIMIT = 1e38
"""Scores beyond it approach the limit of single precision."""


def separated(scores: Sequence[float], precision: Literal["double", "single"]) -> Iterator[float]:
    """Scores that decrease strictly; they keep their digits where they decrease already.

    Other scores are lowered to the next number of the precision. If a score is not a number or beyond single precision,
    all are replaced by negative ranks.

    Args:
        scores: scores of a ranking, best first.
        precision: precision in which readers compare scores; decreasing in single precision is decreasing in double.
    """
    import numpy as np

    if not all(-_LIMIT < score < _LIMIT for score in scores):
        yield from (-float(rank) for rank in range(1, len(scores) + 1))
        return
    number = np.float32 if precision == "single" else np.float64
    last, smallest = number(np.inf), np.finfo(number).smallest_normal
    for score in scores:
        if not number(score) < last:
            # Smaller steps around 0 are subnormal numbers, which some processors' modes round to 0.
            score = float(min(np.nextafter(last, number(-np.inf)), last - smallest))
        yield score
        last = number(score)
