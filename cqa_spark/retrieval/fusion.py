"""Fuses what several ways of retrieval found, by reciprocal rank."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.retrieval.search_result import BM25, COSINE, reciprocal

_QUESTION = ("site", "query_id", "candidate_id", "time", "number")
_OLDER = ("time", "number", "candidate_id")


def fuse(retrieved: DataFrame, limit: int) -> DataFrame:
    """Order the best candidates of each way by the sum of their reciprocal ranks.

    Args:
        retrieved: site, query_id, candidate_id, way, score, time and number, as ``search`` gives them.
        limit: candidates per query that each way contributes; of equal ones the older is first.

    Returns:
        The columns of ``RETRIEVED``.
    """
    best = Window.partitionBy("site", "query_id", "way").orderBy(F.col("score").desc(), *_OLDER)
    ranked = retrieved.withColumn("place", F.row_number().over(best)).where(F.col("place") <= limit)
    by_way = [_of(way, column).alias(name) for way in (BM25, COSINE) for column, name in _names(way)]
    contributions = [F.coalesce(reciprocal(F.col(f"{way}_rank")), F.lit(0.0)) for way in (BM25, COSINE)]
    together = ranked.groupBy(*_QUESTION).agg(*by_way).withColumn("fused", reduce(Column.__add__, contributions))
    order = Window.partitionBy("site", "query_id").orderBy(F.col("fused").desc(), *_OLDER)
    return together.withColumn("rank", F.row_number().over(order)).drop("time", "number")


def _names(way: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("score", way), ("place", f"{way}_rank")


def _of(way: str, column: str) -> Column:
    return F.max(F.when(F.col("way") == way, F.col(column)))
