"""The Poisson bootstrap, for more queries than fit one task.

In a resample, the number of times that a query counts is drawn from a Poisson distribution with mean 1, independently
of all other queries. It is a function of the query's hash, so queries are added up where they are stored (Chamandy,
Muralidharan, Najmi and Naidu 2012, Estimating Uncertainty for Massive Data Streams, Google technical report, section
3).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cqa_spark.evaluation.resampling import Components, aggregated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 500
"""Resamples whose counts are in memory together."""

MOST_RESAMPLES = 3999
"""Resamples of many queries. The width of an interval then varies by 1.5 % between seeds (standard deviation)."""

_QUERIES_AT_A_TIME = 2000
_DIGIT = 2.0**10
_PER_HASH = 4


class PoissonSums:
    """Sums of the components of queries over resamples.

    Components are rounded to multiples of 2 ** -20, in three digits of base 2 ** 10. So the sums of some queries are
    whole numbers that 32-bit floats hold exactly, for components below 2,000, and all sums are the same in every order.

    Args:
        resamples: number of resamples.
        width: number of components, of all systems and measures together.
        seed: of the counts.
    """

    def __init__(self, resamples: int, width: int, seed: int) -> None:
        import numpy as np

        self._seed = seed
        self._sums = np.zeros((resamples, width + 1))
        self._totals = np.zeros((5, width + 1))

    def add(self, hashes: NDArray[np.int64], components: NDArray[np.float64]) -> None:
        """Add some queries.

        Args:
            hashes: of the queries; shape (queries,).
            components: shape (queries, width).
        """
        for start in range(0, len(hashes), _QUERIES_AT_A_TIME):
            part = slice(start, start + _QUERIES_AT_A_TIME)
            self._add(hashes[part], components[part])

    def blocks(self) -> list[NDArray[np.float64]]:
        """The sums: first the data itself, as digits, then the resamples by block; shape (..., width + 1) each.

        The last column is the number of queries. Blocks of several parts of the queries add up.
        """
        return [self._totals, *(self._sums[start : start + BLOCK] for start in range(0, len(self._sums), BLOCK))]

    def _add(self, hashes: NDArray[np.int64], components: NDArray[np.float64]) -> None:
        import numpy as np

        with_count = np.column_stack([components, np.ones(len(components))])
        digits = _digits(with_count, len(self._totals))
        self._totals += digits.sum(axis=1)
        # Many columns are equal: zeros, and components that do not depend on the system.
        different, places = _distinct_columns(np.hstack([*digits[:3]]).astype(np.float32))
        places = places.reshape(3, -1)
        for start in range(0, len(self._sums), BLOCK):
            block = self._sums[start : start + BLOCK]
            sums = (poisson_counts(hashes, start, start + len(block), self._seed) @ different).astype(np.float64)
            block += from_digits(np.moveaxis(sums[:, places], 1, 0))


def _distinct_columns(numbers: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The distinct columns, and the position of each column among them."""
    import numpy as np

    known: dict[bytes, int] = {}
    places = [known.setdefault(column.tobytes(), len(known)) for column in numbers.T]
    return numbers[:, [places.index(place) for place in range(len(known))]], np.array(places)


def _digits(numbers: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Whole numbers that give a number when each is divided by the next power of 2 ** 10; shape (count, ...)."""
    import numpy as np

    found, rest = [], numbers
    for _ in range(count):
        found.append(np.round(rest))
        rest = (rest - found[-1]) * _DIGIT
    return np.stack(found)


def from_digits(digits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers with these digits; shape (...) from (count, ...)."""
    import numpy as np

    total = np.zeros_like(digits[0])
    for digit in digits[::-1]:
        total = total / _DIGIT + digit
    return total


def poisson_counts(hashes: NDArray[np.int64], start: int, end: int, seed: int) -> NDArray[np.float32]:
    """Counts of each query in a range of resamples.

    Args:
        hashes: of the queries; shape (queries,).
        start: first resample; a multiple of 4, so that each number is used once.
        end: resample after the last one.
        seed: of the counts.

    Returns:
        Shape (end - start, queries).

    Source:
        Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number Generators, OOPSLA, figure 17 (SplitMix64): a
        query's hash starts its sequence, and each number of it gives four counts.
    """
    import numpy as np

    step, numbers = np.uint64(0x9E3779B97F4A7C15), np.arange(start // _PER_HASH, -(-end // _PER_HASH), dtype=np.uint64)
    states = hashes.astype(np.uint64) + _mixed(np.array([seed], dtype=np.uint64))
    drawn = _mixed(states[None, :] + (numbers[:, None] + np.uint64(1)) * step)
    quarters = drawn.view(np.uint16).reshape(len(numbers), len(hashes), _PER_HASH)
    counts = _count_of_16_bits()[quarters.transpose(0, 2, 1).reshape(-1, len(hashes))]
    return counts[: end - start]


def fractions(components: Components, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every measure of every system in each resample.

    Args:
        components: measures with arrays of shape (systems, components), which give the order of columns: all components
            of a measure's first system, then of its second, and so on.
        sums: shape (resamples, width + 1); the last column is the number of queries.

    Returns:
        Shape (resamples, measures, systems).
    """
    import numpy as np

    found, start = [], 0
    queries = sums[:, -1]
    for measure, shape in components.items():
        end = start + shape.size
        own = sums[:, start:end].reshape(len(sums), *shape.shape)
        # The mean number of resampled queries; measures that are not means over queries do not depend on it.
        scaled = own / np.maximum(queries, 1)[:, None, None]
        found.append(aggregated({measure: shape}, scaled, 1)[0])
        start = end
    return np.stack(found, axis=1)


def shift_test(difference: NDArray[np.float64], resampled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two-sided p-values of differences, from their resamples shifted to a mean of zero.

    Args:
        difference: in the data; shape (...).
        resampled: in each resample; shape (resamples, ...).

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 16.4; Sakai 2006, Evaluating Evaluation
        Metrics based on the Bootstrap, SIGIR, section 2.
    """
    import numpy as np

    further = (np.abs(resampled - difference) >= np.abs(difference)).sum(axis=0)
    found: NDArray[np.float64] = (further + 1) / (len(resampled) + 1)
    return found


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    import numpy as np

    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


@cache
def _count_of_16_bits() -> NDArray[np.float32]:
    """The quantiles of the Poisson distribution with mean 1 at 65,536 equally spaced probabilities."""
    import numpy as np
    from scipy import stats

    found: NDArray[np.float32] = stats.poisson.ppf((np.arange(1 << 16) + 0.5) / (1 << 16), 1).astype(np.float32)
    return found
