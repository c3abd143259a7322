"""Counts the differences per query in Spark, so that a bounded number of rows reaches the driver."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.reports.run.differences.content import Differences
from cqa_spark.reports.scope import Scope

RESOLUTION = 1000
"""Differences are rounded to multiples of 1 / RESOLUTION."""


def collect_differences(scope: Scope) -> Differences | None:
    """The main measure of the best system minus that of the baseline, by query; None without a comparison."""
    values = scope.table("query_metrics")
    if values is None or scope.baseline is None or scope.baseline == scope.best_system:
        return None
    values = values.where(F.col("measure") == scope.main_measure)
    best = _of_system(values, scope.best_system, "best")
    baseline = _of_system(values, scope.baseline, "baseline")
    rounded = F.round((F.col("best") - F.col("baseline")) * RESOLUTION).cast("int")
    compared = best.join(baseline, on=["site", "query_id"], how="inner").groupBy(rounded.alias("difference"))
    rows = compared.agg(F.count(F.lit(1)).alias("queries")).orderBy(F.desc("difference")).collect()
    if not rows:
        return None
    steps = tuple((row.difference / RESOLUTION, row.queries) for row in rows)
    return Differences(scope.best_system, scope.baseline, scope.main_measure, steps)


def _of_system(values: DataFrame, system: str, name: str) -> DataFrame:
    return values.where(F.col("system") == system).select("site", "query_id", F.col("value").alias(name))
