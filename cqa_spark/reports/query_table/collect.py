"""Collects the queries of an evaluation, row by row: they may exceed the driver's memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.query_measures import by_measure
from cqa_spark.reports.query_table.content import MeasuredQuery
from cqa_spark.reports.scope import Scope

FEW = 100_000
"""Number of queries up to which one task sorts them, without a shuffle."""

_QUERY = ("site", "query_id")


def queries(scope: Scope, number: int) -> Iterator[MeasuredQuery]:
    """All queries with examples, the lowest values first, then by site and id; one partition at a time.

    Args:
        scope: rows to report on.
        number: number of queries, at least roughly.
    """
    examples, values, posts = scope.table("examples"), scope.table("query_metrics"), scope.tables.get("posts")
    if examples is None:
        return
    parts = [examples.select(*_QUERY, F.lit(1).alias("candidates"), F.col("relevant").cast("int").alias("relevant"))]
    if values is not None:
        parts.append(_measured(scope, values))
    if posts is not None:
        titles = posts.select("site", F.col("post_id").alias("query_id"), F.col("subject").alias("title"))
        parts.append(titles.where("title is not null"))
    # A union is shuffled once, where a join shuffles both sides.
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    by_query = rows.groupBy(*_QUERY).agg(
        F.count("candidates").alias("candidates"),
        F.coalesce(F.sum("relevant"), F.lit(0)).alias("relevant"),
        *[F.max(name).alias(name) for name in ("value", "baseline", "title") if name in rows.columns],
    )
    order = [F.asc_nulls_last("value")] if values is not None else []
    found = by_query.where("candidates > 0")
    few = number <= FEW
    ordered = found.coalesce(1).sortWithinPartitions(*order, *_QUERY) if few else found.orderBy(*order, *_QUERY)
    for row in ordered.toLocalIterator():
        columns = row.asDict()
        yield MeasuredQuery(
            row.site, row.query_id, columns.get("title") or "", row.candidates, row.relevant, columns.get("value"),
            columns.get("baseline"),
        )  # fmt: skip


def _measured(scope: Scope, values: DataFrame) -> DataFrame:
    """The values of the best system and of the baseline."""
    return (
        by_measure(values)
        .where(F.col("measure") == scope.main_measure)
        .select(
            *_QUERY,
            F.when(F.col("system") == scope.best_system, F.col("value")).alias("value"),
            F.when(F.col("system") == F.lit(scope.baseline), F.col("value")).alias("baseline"),
        )
    )
