"""Chooses the queries to show."""

from __future__ import annotations

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.reports.scope import Scope

QUERY = ["site", "query_id"]
"""Key of a query."""


def choose_queries(scope: Scope, each: int) -> list[tuple[Row, str]]:
    """The best and the worst queries of the best system: their key and value, and best, worst or sample.

    The best queries have the highest value; ties are ordered by the lowest baseline. The worst queries have the lowest
    value; ties are ordered by the highest baseline. Queries without a relevant candidate are excluded, because every
    ranking of them is equally good. Without measurements, the first queries by id are a sample.

    Args:
        scope: rows to report on.
        each: number of best and of worst queries.
    """
    measured = _measured(scope)
    if measured is not None:
        return _extremes(measured, each)
    first = scope.rankings().where(F.col("system") == scope.best_system).select(*QUERY).distinct()
    return [(row, "sample") for row in first.orderBy(*QUERY).limit(each).collect()]


def _measured(scope: Scope) -> DataFrame | None:
    """Value and baseline value of each query with a relevant candidate; None without measurements."""
    values, examples = scope.table("query_metrics"), scope.table("examples")
    if values is None or examples is None or values.isEmpty():
        return None
    values = values.where(F.col("measure") == scope.main_measure)
    best = values.where(F.col("system") == scope.best_system).select(*QUERY, "value")
    baseline = values.where(F.col("system") == F.lit(scope.baseline))
    answerable = examples.where("relevant").select(*QUERY).distinct()
    joined = best.join(baseline.select(*QUERY, F.col("value").alias("baseline_value")), on=QUERY, how="left")
    return joined.join(answerable, on=QUERY, how="left_semi")


def _extremes(measured: DataFrame, each: int) -> list[tuple[Row, str]]:
    best = measured.orderBy(F.desc("value"), F.asc("baseline_value"), *QUERY).limit(each).collect()
    worst = measured.orderBy(F.asc("value"), F.desc("baseline_value"), *QUERY).limit(each).collect()
    taken = {(row.site, row.query_id) for row in best}
    return [
        *((row, "best") for row in best),
        *((row, "worst") for row in worst if (row.site, row.query_id) not in taken),
    ]
