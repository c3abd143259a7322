"""Intervals and tests of systems on more queries than fit one task, summed by group of queries on Spark.

Each query belongs to one of a fixed number of groups, by the hash of its topic. The components of a group are summed
where its queries are stored, and groups are resampled instead of queries. The cost of resampling therefore does not
depend on the number of queries.

Source:
    Wolter 2007, Introduction to Variance Estimation, second edition, chapter 2 (the random group method).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.evaluation.statistics.bootstrap import GROUPS, Resampling, add_by_group, aggregated, joined
from cqa_spark.evaluation.statistics.groups import GroupSummary, Key, MeasuredGroup, paired
from cqa_spark.evaluation.statistics.tests import ComparedSystems, compare_systems, count_wins

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_PARTS = 20
"""Number of parts of the groups' sums; each part, and the wins, are added up over the tasks in one place."""

_PART = (T.StructField("part", T.IntegerType()), T.StructField("sums", T.ArrayType(T.DoubleType())))

DIGITS = 2
"""Number of digits of a sum: components are rounded to multiples of 2 ** -32."""

BASE = 2**32
"""Sums of two billion digits fit a 64-bit integer, and sums of two million a 64-bit float."""

Terms = TypeVar("Terms", "NDArray[np.float64]", Column)
Sums = TypeVar("Sums", "NDArray[np.float64]", Fraction)


def summarise_distributed(
    query_metrics: DataFrame, groups: Mapping[Key, MeasuredGroup], summary: GroupSummary
) -> DataFrame:
    """Summarise groups of queries, where the queries lie.

    Args:
        query_metrics: rows of ``QUERY_METRICS`` of these groups.
        groups: the groups, by key.
        summary: how to summarise a group.

    Returns:
        The rows of the summary.
    """
    keys = summary.keys

    def sum_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np

        by_key: dict[Key, GroupSums] = {}
        for batch in batches:
            for key, rows in _by_key(pa.Table.from_batches([batch]), keys):
                if key not in by_key:
                    by_key[key] = GroupSums(groups[key])
                values, components = (
                    pc.list_flatten(rows[name]).to_numpy().reshape(len(rows), -1) for name in ("values", "components")
                )
                by_key[key].add(rows["group"].to_numpy(), values, components)
        for key, sums in by_key.items():
            # The last part has the wins.
            parts = [*np.array_split(sums.parts, _PARTS, axis=1), sums.wins.astype(np.float64)]
            for number, part in enumerate(parts):
                row = {name: [value] for name, value in zip(keys, key, strict=True)}
                row |= {"part": pa.array([number], pa.int32()), "sums": pa.array([part.ravel()])}
                yield pa.RecordBatch.from_pydict(row)

    def add_parts(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np
        import pandas as pd

        total = np.sum(np.stack(rows["sums"].to_list()), axis=0)
        return pd.DataFrame({**dict(zip((*keys, "part"), key, strict=True)), "sums": [total]})

    def compare(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np

        measured = groups[tuple(map(str, key))]
        *parts, wins = rows.sort_values("part")["sums"]
        sums = np.concatenate([part.reshape(DIGITS, -1, measured.columns + 1) for part in parts], axis=1)
        tests = compare_groups(measured, from_parts(sums), summary.compared, summary.drawn)
        of_pairs = wins.astype(np.int64).reshape(len(measured.systems), len(measured.systems), -1)
        return summary.rows(key, tests, of_pairs, measured)

    group = F.pmod(F.xxhash64("site", "topic"), F.lit(GROUPS)).alias("group")
    parts = T.StructType([*[summary.schema[name] for name in keys], *_PART])
    sums = paired(query_metrics, *keys, group).mapInArrow(sum_batches, parts)
    totals = sums.groupBy(*keys, "part").applyInPandas(add_parts, parts)
    return totals.groupBy(*keys).applyInPandas(compare, summary.schema)


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

        numbers = np.hstack([components, np.ones((len(components), 1))])
        for sums, digit in zip(self.parts, digits(numbers, DIGITS, np.rint), strict=True):
            add_by_group(sums, groups, digit)
        self.wins += count_wins(self._measured.values(values))


def from_parts(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums, of shape (groups, columns + 1), without groups that have no queries."""
    sums = from_digits(list(parts))
    return sums[sums[:, -1] > 0]


def compare_groups(
    measured: MeasuredGroup, sums: NDArray[np.float64], compared: ComparedSystems, drawn: Resampling
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


def _by_key(rows: pa.Table, keys: Sequence[str]) -> Iterator[tuple[Key, pa.Table]]:
    for key in rows.select(keys).group_by(keys).aggregate([]).to_pylist():
        mask = reduce(pc.and_, [pc.equal(rows[name], key[name]) for name in keys])
        yield tuple(key[name] for name in keys), rows.filter(mask)


def digits(terms: Terms, number: int, rint: Callable[[Terms], Terms]) -> list[Terms]:
    """Split terms into whole numbers, whose sums are exact for any order and any partitions of the terms.

    The digits of a term are the term, rounded, and then the remainder in units of the next power of 1 / ``BASE``.

    Args:
        terms: 64-bit floats.
        number: number of digits; the sums are exact for terms that are multiples of ``BASE`` ** (1 - number).
        rint: rounds to whole numbers: ``numpy.rint`` or that of Spark.

    Returns:
        The digits of the terms, the largest first.
    """
    of_terms: list[Terms] = []
    remainder = terms
    for _ in range(number):
        of_terms.append(rint(remainder))
        remainder = (remainder - of_terms[-1]) * BASE
    return of_terms


def from_digits(sums: Sequence[Sums]) -> Sums:
    """The sum of the terms, from the sum of each digit, the largest first."""
    total = sums[0]
    for power, digit in enumerate(sums[1:], start=1):
        total = total + digit / BASE**power
    return total
