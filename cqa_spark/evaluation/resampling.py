"""What the bootstrap and the randomization test share: named numbers of resamples, batches, and exact ties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cqa_spark.evaluation.measure import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 9999
"""Resamples where nobody asks for another number; with the data itself that makes 10,000."""

SEED = 42
"""Seed where nobody asks for another one; any fixed number serves."""

CONFIDENCE = 0.95
"""Coverage of an interval where nobody asks for another one."""

_CELLS = 4_000_000
_DECIMALS = 12


def batch_size(queries: int, resamples: int) -> int:
    """How many resamples are held at once, so that memory stays below some 200 MB however many queries there are."""
    return max(1, min(resamples, _CELLS // queries))


def aggregated(measure: Measure, sums: NDArray[np.float64], queries: int) -> NDArray[np.float64]:
    """The measure of many sums at once.

    Args:
        measure: the measure.
        sums: summed components, shape (..., components).
        queries: how many queries each sum runs over.

    Returns:
        Fractions, shape (...). Rounded to 12 decimals, so that sums that are equal but for the order in which they
        were added up are equal, and tie.
    """
    import numpy as np

    fractions: NDArray[np.float64] = measure.aggregate(list(np.moveaxis(sums, -1, 0)), queries)
    return np.round(fractions, _DECIMALS)
