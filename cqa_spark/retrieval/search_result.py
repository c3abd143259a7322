"""The result of searching a shard, and the fusion of several ways of retrieval by reciprocal rank."""

from functools import reduce
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.retrieval.shard import Indices

BM25, COSINE = "bm25", "cosine"
"""The ways of retrieval: by words, and by the embeddings of the texts."""

_RANK_OFFSET = 60
"""Added to a rank before its reciprocal is taken, so that the first ranks differ little (Cormack et al. 2009)."""

Rank = TypeVar("Rank", Column, NDArray[np.float64], float)


class SearchResult(NamedTuple):
    """The retrieved questions, best first within each query; of equal scores the older question is first.

    Attributes:
        query: index of the query.
        row: index of the question in the shard.
        score: its score, above 0.
    """

    query: Indices
    row: Indices
    score: NDArray[np.floating]


def reciprocal(rank: Rank) -> Rank:
    """The contribution of a ranking to the fused score of a candidate.

    Args:
        rank: rank in the ranking, from 1.

    Source:
        Cormack et al. 2009, Reciprocal rank fusion outperforms Condorcet and individual rank learning methods.
    """
    return 1 / (_RANK_OFFSET + rank)


_QUESTION = ("site", "query_id", "candidate_id", "time", "number")
_OLDER = ("time", "number", "candidate_id")


def fuse(retrieved: DataFrame, limit: int) -> DataFrame:
    """Order the best candidates of each way by the sum of their reciprocal ranks.

    Args:
        retrieved: site, query_id, candidate_id, way, score, time and number, as ``search`` returns them.
        limit: candidates per query that each way contributes; of two equal ones the older is first.

    Returns:
        The columns of ``RETRIEVED``.
    """
    best = Window.partitionBy("site", "query_id", "way").orderBy(F.col("score").desc(), *_OLDER)
    ranked = retrieved.withColumn("way_rank", F.row_number().over(best)).where(F.col("way_rank") <= limit)
    # A row per candidate, with its score and its rank by each way; null where a way has not retrieved it.
    by_way, contributions = [], []
    for way in (BM25, COSINE):
        is_of_way = F.col("way") == way
        by_way.append(F.max(F.when(is_of_way, F.col("score"))).alias(way))
        by_way.append(F.max(F.when(is_of_way, F.col("way_rank"))).alias(f"{way}_rank"))
        contributions.append(F.coalesce(reciprocal(F.col(f"{way}_rank")), F.lit(0.0)))
    candidates = ranked.groupBy(*_QUESTION).agg(*by_way).withColumn("fused", reduce(Column.__add__, contributions))
    order = Window.partitionBy("site", "query_id").orderBy(F.col("fused").desc(), *_OLDER)
    return candidates.withColumn("rank", F.row_number().over(order)).drop("time", "number")
