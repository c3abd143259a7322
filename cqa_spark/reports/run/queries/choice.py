"""Chooses the queries to show."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import functions as F

from cqa_spark.reports.query_table.content import MeasuredQuery
from cqa_spark.reports.run.measured import QUERY, MeasuredQueries
from cqa_spark.reports.scope import Scope


class ChosenQuery(NamedTuple):
    """A query to show.

    Attributes:
        kind: best, worst, or sample without measurements.
        site: site of the query.
        query_id: id within the site.
        value: main measure of the best system; None without measurements.
        baseline_value: main measure of the baseline.
    """

    kind: str
    site: str
    query_id: str
    value: float | None = None
    baseline_value: float | None = None


def choose_queries(scope: Scope, measured: MeasuredQueries | None, each: int) -> list[ChosenQuery]:
    """The best and the worst queries, or a sample without measurements.

    Args:
        scope: rows to report on.
        measured: the best and worst queries; None without measurements.
        each: number of queries of a sample, which are the first ones by id.
    """
    if measured is None:
        ranked = scope.rankings().where((F.col("system") == scope.best_system) & (F.col("rank") == 1))
        rows = ranked.select(*QUERY).orderBy(*QUERY).limit(each).collect()
        return [ChosenQuery("sample", row.site, row.query_id) for row in rows]
    worst = [query for query in measured.worst if query not in measured.best]
    return [*map(_best, measured.best), *map(_worst, worst)]


def _best(query: MeasuredQuery) -> ChosenQuery:
    return ChosenQuery("best", query.site, query.query_id, query.value, query.baseline)


def _worst(query: MeasuredQuery) -> ChosenQuery:
    return ChosenQuery("worst", query.site, query.query_id, query.value, query.baseline)
