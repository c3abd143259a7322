"""Intervals and tests over groups of queries, for more queries than fit one task.

Each query belongs to one of a fixed number of groups, by its hash. The components of a group are summed where its
queries are stored, and groups are resampled instead of queries. The cost of resampling therefore does not depend on the
number of queries.

Source:
    Wolter 2007, Introduction to Variance Estimation, second edition, chapter 2 (the random group method).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.evaluation.compare_systems import Compared, compare_systems
from cqa_spark.evaluation.exact_sums import digits, from_digits
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.resampling import Resampling, aggregated, joined

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

GROUPS = 10_000
"""Number of groups. The width of an interval then varies by 0.7 % between assignments (standard deviation)."""

DIGITS = 2
"""Number of digits of a sum: components are rounded to multiples of 2 ** -32."""


class SumColumns:
    """The columns of the sums of a group: by measure, then by system, then by component; the last one counts queries.

    Args:
        widths: number of components of each measure.
        systems: names of the systems.
    """

    def __init__(self, widths: Mapping[Measure, int], systems: Sequence[str]) -> None:
        self.widths, self.systems = dict(widths), list(systems)
        self.count = sum(widths.values()) * len(systems) + 1

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first column of each measure and system; shape (measures, systems)."""
        import numpy as np

        widths = np.array(list(self.widths.values()))[:, None]
        before = np.cumsum(widths, axis=0) - widths
        return before * len(self.systems) + np.arange(len(self.systems)) * widths

    def components(self, sums: NDArray[np.float64]) -> dict[Measure, NDArray[np.float64]]:
        """By measure, the sums of each system's groups.

        Args:
            sums: shape (groups, columns).

        Returns:
            Arrays of shape (systems, groups, components).
        """
        return {
            measure: sums[:, start : start + len(self.systems) * width]
            .reshape(len(sums), len(self.systems), width)
            .transpose(1, 0, 2)
            for (measure, width), start in zip(self.widths.items(), self.starts[:, 0], strict=True)
        }


class GroupSums:
    """Sums of the components of queries, by group of queries.

    Components are summed by digits. The sums are therefore equal for any order and any partitions of the queries.

    Args:
        columns: the columns of the sums.
        groups: number of groups.
    """

    def __init__(self, columns: SumColumns, groups: int = GROUPS) -> None:
        import numpy as np

        self._columns = columns
        self._measures = pa.array([str(measure) for measure in columns.widths])
        self._systems = pa.array(columns.systems)
        self._sums = np.zeros((DIGITS, groups * columns.count))

    def add(self, rows: pa.Table) -> None:
        """Add rows of ``QUERY_METRICS``.

        Args:
            rows: the columns ``measure``, ``system`` and ``components``, and ``group``, the number of a query's group.
        """
        import numpy as np

        measure = pc.index_in(rows["measure"], self._measures).to_numpy()
        system = pc.index_in(rows["system"], self._systems).to_numpy()
        group = rows["group"].to_numpy() * self._columns.count
        numbers = pc.list_flatten(rows["components"]).to_numpy()
        widths = pc.list_value_length(rows["components"]).to_numpy()
        places = np.repeat(group + self._columns.starts[measure, system] - np.cumsum(widths) + widths, widths)
        places += np.arange(len(places))
        for sums, digit in zip(self._sums, digits(numbers, DIGITS, np.rint), strict=True):
            np.add.at(sums, places, digit)
        queries = group[(measure == 0) & (system == 0)] + self._columns.count - 1
        np.add.at(self._sums[0], queries, 1.0)

    def parts(self) -> NDArray[np.float64]:
        """The sum of each digit, to be added to those of other queries; shape (digits, groups, columns)."""
        return self._sums.reshape(DIGITS, -1, self._columns.count)


def from_parts(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums, of shape (groups, columns), without groups that have no queries."""
    sums = from_digits(list(parts))
    return sums[sums[:, -1] > 0]


def compare_groups(
    columns: SumColumns, sums: NDArray[np.float64], compared: Compared, drawn: Resampling
) -> pd.DataFrame:
    """The measures and tests of ``compare_systems``, which samples groups instead of queries.

    Args:
        columns: the columns of the sums.
        sums: shape (groups, columns).
        compared: the systems to test.
        drawn: parameters of the resampling.
    """
    components, sizes = columns.components(sums), sums[:, -1]
    aggregates = aggregated(components, joined(components).sum(axis=1) / sizes.sum(), 1)
    totals = dict(zip(components, aggregates, strict=True))
    return compare_systems(columns.systems, components, totals, compared, drawn, sizes)
