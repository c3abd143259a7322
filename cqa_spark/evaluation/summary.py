"""Systems compared: each measure over all queries with its interval, and each system against a baseline, on Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED
from cqa_spark.evaluation.significance import randomization_test
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, SITE_METRICS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_GROUP = ["task", "split", "measure"]

Widths = Mapping[tuple[str, ...], Mapping[Measure, int]]
"""By group of queries, its measures in the order of their names, with the number of their components."""


class Summary(NamedTuple):
    """Rows of ``METRICS`` and rows of ``COMPARISONS``."""

    metrics: DataFrame
    comparisons: DataFrame


class Resampling(NamedTuple):
    """How intervals and tests are drawn.

    Attributes:
        resamples: number of draws.
        seed: seed of the draws.
        confidence: coverage of the intervals.
    """

    resamples: int = RESAMPLES
    seed: int = SEED
    confidence: float = CONFIDENCE


def summarise(
    query_metrics: DataFrame,
    baseline: str,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
) -> Summary:
    """Aggregate every measure of every system over its queries, and test every system against the baseline.

    All queries of one task and split go to one executor, where they are sorted, so that the draws fall on the same
    queries however the table was partitioned.

    Args:
        query_metrics: rows of ``QUERY_METRICS``; read several times, so hand in a stored or cached table.
        baseline: system that the others are compared with.
        resamples: number of draws of each interval and each test.
        seed: seed of the draws.
        confidence: coverage of the intervals.

    Raises:
        ContractError: a task and split has no rankings of the baseline, or systems with other queries than its.
    """
    metrics, comparisons = _summary(query_metrics, baseline, Resampling(resamples, seed, confidence), _GROUP)
    return Summary(METRICS.conform(metrics), COMPARISONS.conform(comparisons))


def summarise_by_site(query_metrics: DataFrame, baseline: str, drawn: Resampling) -> DataFrame:
    """The same site by site, and over all sites together, whose name is ``EVERY``.

    Args:
        query_metrics: rows of ``QUERY_METRICS``, stored or cached.
        baseline: system that the others are compared with.
        drawn: how intervals and tests are drawn.

    Returns:
        Rows of ``SITE_METRICS``.

    Raises:
        ContractError: as in ``summarise``.
    """
    scope = F.explode(F.array(F.lit(EVERY), F.col("site"))).alias("scope")
    metrics, comparisons = _summary(query_metrics.select("*", scope), baseline, drawn, [*_GROUP, "scope"])
    tests = comparisons.select("system", *_GROUP, "scope", "difference", "p_value")
    tested = metrics.join(tests, on=["system", *_GROUP, "scope"], how="left")
    found = tested.fillna({"difference": 0.0, "p_value": 1.0}).withColumn("baseline", F.lit(baseline))
    return SITE_METRICS.conform(found.withColumnRenamed("scope", "site"))


def _summary(query_metrics: DataFrame, baseline: str, drawn: Resampling, by: list[str]) -> tuple[DataFrame, DataFrame]:
    """Columns of ``METRICS`` and of ``COMPARISONS``, and those that the rows are grouped by.

    Resamples are drawn once for all measures of a group of queries.
    """
    keys = [name for name in by if name != "measure"]
    widths = _widths(query_metrics, baseline, keys)
    groups = _by_query(query_metrics, keys).groupBy(*keys)
    more = [T.StructField(name, T.StringType()) for name in by if name not in _GROUP]
    return (
        groups.applyInPandas(_summarised(drawn, keys, widths), T.StructType([*METRICS.schema.fields, *more])),
        groups.applyInPandas(
            _compared(baseline, drawn, keys, widths), T.StructType([*COMPARISONS.schema.fields, *more])
        ),
    )


def _widths(query_metrics: DataFrame, baseline: str, keys: list[str]) -> Widths:
    """Refuse what cannot be paired by query; what comes to the driver is a row per group of queries and measure."""
    query = F.xxhash64("site", "query_id")
    of_baseline = F.col("system") == baseline
    # Which queries there are, whatever their order: their number, and their hashes taken together.
    all_queries = F.struct(F.count("*").alias("count"), F.bit_xor(query).alias("hash"))
    systems = query_metrics.groupBy(*keys, "measure", "system").agg(
        all_queries.alias("queries"), F.max(F.size("components")).alias("width")
    )
    groups = systems.groupBy(*keys, "measure").agg(
        F.max(of_baseline).alias("has_baseline"),
        F.collect_set("queries").alias("queries"),
        F.max("width").alias("width"),
    )
    widths: dict[tuple[str, ...], dict[Measure, int]] = {}
    queries: dict[tuple[str, ...], list[Row]] = {}
    for group in groups.orderBy(*keys, "measure").collect():
        key = tuple(group[name] for name in keys)
        where = f"{group.measure} of {group.task}, {group.split}"
        if not group.has_baseline:
            raise ContractError(
                f"{where}: baseline {baseline} is not among the systems",
                "rank with the baseline, too, or name another baseline",
            )
        if len(group.queries) > 1 or queries.setdefault(key, group.queries) != group.queries:
            raise ContractError(
                f"{where}: the systems were measured on different queries",
                "compute query_metrics of all systems and measures together, from the same examples",
            )
        widths.setdefault(key, {})[parse_measure(group.measure)] = group.width
    return widths


def _by_query(query_metrics: DataFrame, keys: list[str]) -> DataFrame:
    """One row per query of a system, with values and components of all its measures, in the order of their names."""
    by_name = F.array_sort(F.collect_list(F.struct("measure", "value", "components")))
    queries = query_metrics.groupBy(*keys, "system", "site", "query_id").agg(by_name.alias("measured"))
    values, components = F.col("measured.value"), F.flatten("measured.components")
    return queries.withColumns({"values": values, "components": components}).drop("measured")


class _Systems(NamedTuple):
    """One group of queries: systems in alphabetical order; by measure, values and components of its queries.

    Attributes:
        names: shape (systems,).
        values: by measure, shape (systems, queries); queries in the order of site and id.
        components: by measure, shape (systems, queries, components).
    """

    names: NDArray[np.object_]
    values: dict[Measure, NDArray[np.float64]]
    components: dict[Measure, NDArray[np.float64]]

    @classmethod
    def of(cls, rows: pd.DataFrame, widths: Mapping[Measure, int]) -> _Systems:
        import numpy as np

        ordered = rows.sort_values(["system", "site", "query_id"], kind="stable")
        names = np.array(sorted(ordered["system"].unique()), dtype=object)
        values, components = (
            np.stack(ordered[name].to_list()).reshape(len(names), -1, width)
            for name, width in (("values", len(widths)), ("components", sum(widths.values())))
        )
        parts = np.split(components, np.cumsum([*widths.values()])[:-1], axis=-1)
        return cls(
            names,
            dict(zip(widths, np.moveaxis(values, -1, 0), strict=True)),
            dict(zip(widths, parts, strict=True)),
        )

    def total(self, measure: Measure) -> NDArray[np.float64]:
        """The measure of each system over all queries."""
        import numpy as np

        return np.array([measure.total(queries.tolist()) for queries in self.components[measure]])


def _summarised(
    drawn: Resampling, keys: list[str], widths: Widths
) -> Callable[[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    def summarise_group(key: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import pandas as pd

        systems = _Systems.of(rows, widths[key])
        intervals = bootstrap_intervals(
            systems.components, resamples=drawn.resamples, seed=drawn.seed, confidence=drawn.confidence
        )
        found = [
            pd.DataFrame(
                {
                    "system": systems.names,
                    **dict(zip(keys, key, strict=True)),
                    "measure": str(measure),
                    "value": systems.total(measure),
                    "low": low,
                    "high": high,
                    "confidence": drawn.confidence,
                    "queries": systems.values[measure].shape[1],
                    "resamples": drawn.resamples,
                    "seed": drawn.seed,
                }
            )
            for measure, (low, high) in intervals.items()
        ]
        return pd.concat(found)

    return summarise_group


def _compared(
    baseline: str, drawn: Resampling, keys: list[str], widths: Widths
) -> Callable[[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    def compare_group(key: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np
        import pandas as pd

        systems = _Systems.of(rows, widths[key])
        base, others = systems.names.tolist().index(baseline), np.flatnonzero(systems.names != baseline)
        tests = randomization_test(
            {measure: each[others] for measure, each in systems.components.items()},
            {measure: each[base] for measure, each in systems.components.items()},
            resamples=drawn.resamples,
            seed=drawn.seed,
        )
        found = []
        for measure, p_values in tests.items():
            totals, values = systems.total(measure), systems.values[measure]
            better = np.sign(values[others] - values[base])
            found.append(
                pd.DataFrame(
                    {
                        **dict(zip(keys, key, strict=True)),
                        "measure": str(measure),
                        "system": systems.names[others],
                        "baseline": baseline,
                        "difference": totals[others] - totals[base],
                        "p_value": p_values,
                        "wins": (better > 0).sum(axis=1),
                        "losses": (better < 0).sum(axis=1),
                        "ties": (better == 0).sum(axis=1),
                        "resamples": drawn.resamples,
                        "seed": drawn.seed,
                    }
                )
            )
        return pd.concat(found)

    return compare_group
