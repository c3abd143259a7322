"""Groups of queries on which the same systems were evaluated, paired by query, and the rows of their summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.bootstrap import Resampling
from cqa_spark.evaluation.statistics.tests import ComparedSystems

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


Key = tuple[str, ...]

_Layout = tuple[tuple[str, str], ...]
"""System and measure of each struct of a row of ``QUERY_METRICS``."""


class MeasuredGroup(NamedTuple):
    """A group of queries, evaluated with the same systems and measures.

    Attributes:
        measures: the measures, in the order of their names.
        systems: the evaluated systems, in alphabetical order.
        queries: number of queries.
    """

    measures: list[Measure]
    systems: list[str]
    queries: int

    @property
    def columns(self) -> int:
        """The number of components of a query, of all systems and measures together."""
        return len(self.systems) * sum(measure.width for measure in self.measures)

    def values(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of queries, of shape (queries, systems * measures), as an array (queries, systems, measures)."""
        return rows.reshape(len(rows), len(self.systems), len(self.measures))

    def components(self, rows: NDArray[np.float64]) -> dict[Measure, NDArray[np.float64]]:
        """Components by measure, as arrays of shape (systems, rows, components).

        Args:
            rows: components of queries or sums of them, as ``paired`` arranges them, shape (rows, columns).
        """
        import numpy as np

        of_systems = rows.reshape(len(rows), len(self.systems), -1).transpose(1, 0, 2)
        ends = np.cumsum([measure.width for measure in self.measures])
        return dict(zip(self.measures, np.split(of_systems, ends[:-1], axis=-1), strict=True))


def measured_groups(query_metrics: DataFrame, baseline: str, keys: list[str]) -> dict[Key, MeasuredGroup]:
    """The groups of queries; the driver receives a row per group of queries with the same systems and measures.

    Args:
        query_metrics: rows of ``QUERY_METRICS``, stored or cached.
        baseline: system to compare the others with.
        keys: columns that identify a group of queries.

    Raises:
        ContractError: a group has no rankings of the baseline, or systems with different queries.
    """
    layout = [F.col("measures.system").alias("systems"), F.col("measures.measure").alias("measures")]
    layouts_by_key: defaultdict[Key, dict[_Layout, int]] = defaultdict(dict)
    for row in query_metrics.groupBy(*keys, *layout).count().collect():
        key = tuple(row[name] for name in keys)
        layouts_by_key[key][tuple(zip(row["systems"], row["measures"], strict=True))] = row["count"]
    groups = {}
    for key, layouts in sorted(layouts_by_key.items()):
        systems = sorted({system for layout in layouts for system, _ in layout})
        measures = sorted({measure for layout in layouts for _, measure in layout})
        if baseline not in systems:
            raise ContractError(
                f"{', '.join(key)}: baseline {baseline} is not among the systems",
                "rank with the baseline as well, or name another baseline",
            )
        for measure in measures:
            if any((system, measure) not in layout for layout in layouts for system in systems):
                raise ContractError(
                    f"{measure} of {', '.join(key)}: the systems were evaluated on different queries",
                    "compute query_metrics of all systems and measures together, from the same examples",
                )
        groups[key] = MeasuredGroup([parse_measure(name) for name in measures], systems, sum(layouts.values()))
    return groups


def paired(query_metrics: DataFrame, *columns: str | Column) -> DataFrame:
    """The numbers of each query in two arrays, by system, then by measure.

    Args:
        query_metrics: rows of ``QUERY_METRICS``.
        columns: further columns of the result.

    Returns:
        These columns, ``values`` and ``components``.
    """
    components = F.flatten("measures.components").alias("components")
    return query_metrics.select(*columns, F.col("measures.value").alias("values"), components)


@dataclass(frozen=True)
class GroupSummary:
    """How each group of queries is summarised.

    Attributes:
        compared: the systems to test.
        drawn: parameters of the resampling.
        keys: columns that identify a group of queries.
        schema: columns of the summary: a row for each test, and one for each measure of an untested system.
    """

    compared: ComparedSystems
    drawn: Resampling
    keys: tuple[str, ...]
    schema: T.StructType

    def rows(
        self, key: Sequence[Any], tests: pd.DataFrame, wins: NDArray[np.int64], measured: MeasuredGroup
    ) -> pd.DataFrame:
        """The rows of a group.

        Args:
            key: its key.
            tests: result of ``compare_systems``.
            wins: result of ``count_wins``.
            measured: its systems and measures.
        """
        with_key = with_outcomes(tests, wins, measured).assign(**dict(zip(self.keys, key, strict=True)))
        return with_key.assign(queries=measured.queries, **self.drawn._asdict())


def with_outcomes(tests: pd.DataFrame, wins: NDArray[np.int64], measured: MeasuredGroup) -> pd.DataFrame:
    """Tests with the numbers of queries on which the system is better, worse and equal; null without a baseline.

    Args:
        tests: result of ``compare_systems``.
        wins: result of ``count_wins``.
        measured: the compared systems and measures.
    """
    import pandas as pd

    tested = tests[tests["baseline"].notna()]
    ours, theirs = (pd.Index(measured.systems).get_indexer(pd.Index(tested[name])) for name in ("system", "baseline"))
    measure = pd.Index([str(name) for name in measured.measures]).get_indexer(pd.Index(tested["measure"]))
    won, lost = wins[ours, theirs, measure], wins[theirs, ours, measure]
    outcomes = tested[[]].assign(wins=won, losses=lost, ties=measured.queries - won - lost)
    return tests.join(outcomes).astype(dict.fromkeys(outcomes, "Int32"))
