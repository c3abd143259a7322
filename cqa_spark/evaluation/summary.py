"""Systems compared: each measure over all queries with its interval, and each system against a baseline, on Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import DataFrame
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

    All queries of one task, split and measure go to one executor, where they are sorted, so that the draws fall on
    the same queries however the table was partitioned.

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
    """Columns of ``METRICS`` and of ``COMPARISONS``, and those that the rows are grouped by."""
    _check_pairs(query_metrics, baseline, by)
    groups = query_metrics.groupBy(*by)
    more = [T.StructField(name, T.StringType()) for name in by if name not in _GROUP]
    return (
        groups.applyInPandas(_summarised(drawn, by), T.StructType([*METRICS.schema.fields, *more])),
        groups.applyInPandas(_compared(baseline, drawn, by), T.StructType([*COMPARISONS.schema.fields, *more])),
    )


def _check_pairs(query_metrics: DataFrame, baseline: str, by: list[str]) -> None:
    """Refuse what cannot be paired by query; what comes to the driver is a row per group of queries and measure."""
    query = F.struct("site", "query_id")
    of_baseline = F.col("system") == baseline
    all_queries = F.xxhash64(F.sort_array(F.collect_list(query)))
    systems = query_metrics.groupBy(*by, "system").agg(all_queries.alias("queries"))
    groups = systems.groupBy(*by).agg(
        F.max(of_baseline).alias("has_baseline"), F.countDistinct("queries").alias("query_sets")
    )
    for group in groups.orderBy(*by).collect():
        where = f"{group.measure} of {group.task}, {group.split}"
        if not group.has_baseline:
            raise ContractError(
                f"{where}: baseline {baseline} is not among the systems",
                "rank with the baseline, too, or name another baseline",
            )
        if group.query_sets > 1:
            raise ContractError(
                f"{where}: the systems were measured on different queries",
                "compute query_metrics of all systems together, from the same examples",
            )


class _Systems(NamedTuple):
    """One task, split and measure: systems in alphabetical order, queries in that of site and id."""

    names: NDArray[np.object_]
    values: NDArray[np.float64]
    components: NDArray[np.float64]

    @classmethod
    def of(cls, rows: pd.DataFrame) -> _Systems:
        import numpy as np

        ordered = rows.sort_values(["system", "site", "query_id"], kind="stable")
        names = np.array(sorted(ordered["system"].unique()), dtype=object)
        components = np.stack([np.asarray(vector, dtype=np.float64) for vector in ordered["components"]])
        return cls(
            names,
            ordered["value"].to_numpy().reshape(len(names), -1),
            components.reshape(len(names), -1, components.shape[1]),
        )

    def totals(self, measure: Measure) -> NDArray[np.float64]:
        """The measure of each system over all queries."""
        import numpy as np

        return np.array([measure.total(queries.tolist()) for queries in self.components])


def _summarised(drawn: Resampling, by: list[str]) -> Callable[[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    def summarise_group(key: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import pandas as pd

        group = dict(zip(by, key, strict=True))
        measure, systems = parse_measure(group["measure"]), _Systems.of(rows)
        low, high = bootstrap_intervals(
            measure, systems.components, resamples=drawn.resamples, seed=drawn.seed, confidence=drawn.confidence
        )
        return pd.DataFrame(
            {
                "system": systems.names,
                **group,
                "value": systems.totals(measure),
                "low": low,
                "high": high,
                "confidence": drawn.confidence,
                "queries": systems.values.shape[1],
                "resamples": drawn.resamples,
                "seed": drawn.seed,
            }
        )

    return summarise_group


def _compared(
    baseline: str, drawn: Resampling, by: list[str]
) -> Callable[[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    def compare_group(key: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np
        import pandas as pd

        group = dict(zip(by, key, strict=True))
        measure, systems = parse_measure(group["measure"]), _Systems.of(rows)
        base, others = systems.names.tolist().index(baseline), np.flatnonzero(systems.names != baseline)
        totals = systems.totals(measure)
        p_values = randomization_test(
            measure, systems.components[others], systems.components[base], resamples=drawn.resamples, seed=drawn.seed
        )
        better = np.sign(systems.values[others] - systems.values[base])
        return pd.DataFrame(
            {
                **group,
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

    return compare_group
