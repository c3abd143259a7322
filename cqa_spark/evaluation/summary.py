"""Systems compared: each measure over all queries with its interval, and each system against a baseline, on Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.paired_systems import PairedSystems, Widths, by_query, component_widths
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED
from cqa_spark.evaluation.significance import randomization_test
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, SITE_METRICS

if TYPE_CHECKING:
    import pandas as pd

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
    widths = component_widths(query_metrics, baseline, keys)
    groups = by_query(query_metrics, keys).groupBy(*keys)
    more = [T.StructField(name, T.StringType()) for name in by if name not in _GROUP]
    return (
        groups.applyInPandas(_summarised(drawn, keys, widths), T.StructType([*METRICS.schema.fields, *more])),
        groups.applyInPandas(
            _compared(baseline, drawn, keys, widths), T.StructType([*COMPARISONS.schema.fields, *more])
        ),
    )


def _summarised(
    drawn: Resampling, keys: list[str], widths: Widths
) -> Callable[[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    def summarise_group(key: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import pandas as pd

        systems = PairedSystems.of(rows, widths[key])
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

        systems = PairedSystems.of(rows, widths[key])
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
