"""The main measure by query: the differences from the baseline, and the best and worst queries, in one Spark query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from cqa_spark.reports.scope import Scope

QUERY = ("site", "query_id")
"""Key of a query."""

RESOLUTION = 1000
"""Differences are rounded to multiples of 1 / RESOLUTION, which bounds their number."""


@dataclass(frozen=True)
class MeasuredQueries:
    """The main measure by query; all lists have a bounded length.

    Attributes:
        steps: difference from the baseline, a fraction, and number of queries; largest difference first.
        best: queries with the highest value: rows of ``site``, ``query_id``, ``value`` and ``baseline_value``.
        worst: queries with the lowest value.
    """

    steps: tuple[tuple[float, int], ...]
    best: tuple[Row, ...]
    worst: tuple[Row, ...]


def measured_queries(scope: Scope, each: int) -> MeasuredQueries | None:
    """Compare the best system with the baseline, query by query; None without measurements.

    Ties of the best queries are ordered by the lowest baseline, ties of the worst ones by the highest baseline. Queries
    without a relevant candidate are excluded from both, because every ranking of them is equally good.

    Args:
        scope: rows to report on.
        each: number of best and of worst queries.
    """
    values, examples = scope.table("query_metrics"), scope.table("examples")
    if values is None or examples is None or not scope.entries("metrics"):
        return None
    queries = _by_query(scope, values, examples)
    found = reduce(
        lambda above, below: above.unionByName(below, allowMissingColumns=True),
        (
            _first(queries, "best", each, F.desc("value"), F.asc("baseline_value")),
            _first(queries, "worst", each, F.asc("value"), F.desc("baseline_value")),
            _steps(queries),
        ),
    )
    rows = sorted(found.collect(), key=lambda row: row.place)
    return MeasuredQueries(
        steps=tuple((-row.place / RESOLUTION, row.queries) for row in rows if row.kind == "step"),
        best=tuple(row for row in rows if row.kind == "best"),
        worst=tuple(row for row in rows if row.kind == "worst"),
    )


def _by_query(scope: Scope, values: DataFrame, examples: DataFrame) -> DataFrame:
    """Value and baseline value of each query, and whether it has a relevant candidate; null if absent."""
    measured = values.where(F.col("measure") == scope.main_measure).select(
        *QUERY,
        F.when(F.col("system") == scope.best_system, F.col("value")).alias("value"),
        F.when(F.col("system") == F.lit(scope.baseline), F.col("value")).alias("baseline_value"),
    )
    answerable = examples.where("relevant").select(*QUERY, F.lit(True).alias("answerable"))
    # A union is shuffled once, where a join shuffles both sides.
    both = measured.unionByName(answerable, allowMissingColumns=True)
    return both.groupBy(*QUERY).agg(*[F.max(name).alias(name) for name in ("value", "baseline_value", "answerable")])


def _first(queries: DataFrame, kind: str, limit: int, *order: Column) -> DataFrame:
    """The first answerable queries, with their place."""
    total_order = [*order, *map(F.col, QUERY)]
    first = queries.where("answerable and value is not null").orderBy(*total_order).limit(limit)
    place = F.row_number().over(Window.orderBy(*total_order)).alias("place")
    return first.select(F.lit(kind).alias("kind"), place, *QUERY, "value", "baseline_value")


def _steps(queries: DataFrame) -> DataFrame:
    """The number of queries by difference; the largest difference has the lowest place."""
    difference = F.round((F.col("value") - F.col("baseline_value")) * RESOLUTION).cast("int")
    counted = queries.groupBy((-difference).alias("place")).agg(F.count(F.lit(1)).alias("queries"))
    return counted.where("place is not null").select(F.lit("step").alias("kind"), "place", "queries")
