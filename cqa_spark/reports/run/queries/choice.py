"""Chooses the queries to show."""

from __future__ import annotations

from pyspark.sql import Row
from pyspark.sql import functions as F

from cqa_spark.reports.run.measured import QUERY, MeasuredQueries
from cqa_spark.reports.scope import Scope


def choose_queries(scope: Scope, measured: MeasuredQueries | None, each: int) -> list[tuple[Row, str]]:
    """The queries, each with its kind: the best and the worst ones, or a sample without measurements.

    Args:
        scope: rows to report on.
        measured: the best and worst queries; None without measurements.
        each: number of queries of a sample, which are the first ones by id.
    """
    if measured is None:
        ranked = scope.rankings().where((F.col("system") == scope.best_system) & (F.col("rank") == 1))
        return [(row, "sample") for row in ranked.select(*QUERY).orderBy(*QUERY).limit(each).collect()]
    best = {(row.site, row.query_id) for row in measured.best}
    worst = [row for row in measured.worst if (row.site, row.query_id) not in best]
    return [*((row, "best") for row in measured.best), *((row, "worst") for row in worst)]
