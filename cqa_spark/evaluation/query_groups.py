"""Intervals and tests over groups of queries, for more queries than fit one task.

Each query belongs to one of a fixed number of groups, by its hash. The components of a group are summed where its
queries are stored, and groups are resampled instead of queries. The cost of resampling therefore does not depend on the
number of queries.

Source:
    Wolter 2007, Introduction to Variance Estimation, second edition, chapter 2 (the random group method).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cqa_spark.evaluation.compare_systems import Compared, compare_systems
from cqa_spark.evaluation.exact_sums import digits, from_digits
from cqa_spark.evaluation.outcomes import count_wins
from cqa_spark.evaluation.paired_systems import MeasuredGroup
from cqa_spark.evaluation.resampling import Resampling, aggregated, joined

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

GROUPS = 10_000
"""Number of groups. The width of an interval then varies by 0.7 % between assignments (standard deviation)."""

DIGITS = 2
"""Number of digits of a sum: components are rounded to multiples of 2 ** -32."""


class GroupSums:
    """Sums of the components of queries, by group of queries; and wins between systems.

    Components are summed by digits. The sums are therefore equal for any order and any partitions of the queries.

    Args:
        measured: the systems and measures.
        groups: number of groups.

    Attributes:
        parts: the sum of each digit, to be added to those of other queries, shape (digits, groups, columns + 1); the
            last column of the first digit is the number of queries.
        wins: result of ``count_wins``, to be added to those of other queries.
    """

    def __init__(self, measured: MeasuredGroup, groups: int = GROUPS) -> None:
        import numpy as np

        self._measured = measured
        self.parts = np.zeros((DIGITS, groups, measured.columns + 1))
        self.wins = np.zeros((len(measured.systems), len(measured.systems), len(measured.measures)), np.int64)

    def add(self, groups: NDArray[np.int64], values: NDArray[np.float64], components: NDArray[np.float64]) -> None:
        """Add queries.

        Args:
            groups: number of each query's group.
            values: result of ``paired``, shape (queries, systems * measures).
            components: result of ``paired``, shape (queries, columns).
        """
        import numpy as np

        columns = self._measured.columns
        places = (groups[:, None] * (columns + 1) + np.arange(columns)).ravel()
        for sums, digit in zip(self.parts, digits(components.ravel(), DIGITS, np.rint), strict=True):
            np.add.at(sums.reshape(-1), places, digit)
        np.add.at(self.parts[0].reshape(-1), groups * (columns + 1) + columns, 1.0)
        self.wins += count_wins(self._measured.values(values))


def from_parts(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums, of shape (groups, columns + 1), without groups that have no queries."""
    sums = from_digits(list(parts))
    return sums[sums[:, -1] > 0]


def compare_groups(
    measured: MeasuredGroup, sums: NDArray[np.float64], compared: Compared, drawn: Resampling
) -> pd.DataFrame:
    """The measures and tests of ``compare_systems``, which samples groups instead of queries.

    Args:
        measured: the systems and measures.
        sums: result of ``from_parts``.
        compared: the systems to test.
        drawn: parameters of the resampling.
    """
    components, sizes = measured.components(sums[:, :-1]), sums[:, -1]
    aggregates = aggregated(components, joined(components).sum(axis=1) / sizes.sum(), 1)
    totals = dict(zip(components, aggregates, strict=True))
    return compare_systems(measured.systems, components, totals, compared, drawn, sizes)
