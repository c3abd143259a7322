"""Collects the queries of an evaluation, row by row: they may exceed the driver's memory."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.reports.query_table.content import MeasuredQuery
from cqa_spark.reports.scope import Scope

_QUERY = ("site", "query_id")


def queries(scope: Scope) -> Iterator[MeasuredQuery]:
    """All queries with examples, the lowest values first, then by site and id; one partition at a time."""
    examples, values = scope.table("examples"), scope.table("query_metrics")
    if examples is None:
        return
    counted = examples.groupBy(*_QUERY).agg(
        F.count(F.lit(1)).alias("candidates"), F.count_if("relevant").alias("relevant")
    )
    rows = counted if values is None else counted.join(_by_query(scope, values), on=list(_QUERY), how="left")
    posts = scope.tables.get("posts")
    if posts is not None:
        titles = posts.select("site", F.col("post_id").alias("query_id"), F.col("subject").alias("title"))
        rows = rows.join(titles, on=list(_QUERY), how="left")
    order = [F.asc_nulls_last("value")] if values is not None else []
    for row in rows.orderBy(*order, *_QUERY).toLocalIterator():
        found = row.asDict()
        yield MeasuredQuery(
            row.site, row.query_id, found.get("title") or "", row.candidates, row.relevant, found.get("value"),
            found.get("baseline"),
        )  # fmt: skip


def _by_query(scope: Scope, values: DataFrame) -> DataFrame:
    measured = values.where(F.col("measure") == scope.main_measure)
    return measured.groupBy(*_QUERY).agg(
        F.max(F.when(F.col("system") == scope.best_system, F.col("value"))).alias("value"),
        F.max(F.when(F.col("system") == F.lit(scope.baseline), F.col("value"))).alias("baseline"),
    )
