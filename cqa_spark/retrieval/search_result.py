"""What a search of a shard finds."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column

from cqa_spark.retrieval.shard import Indices

BM25, COSINE = "bm25", "cosine"
"""The ways of retrieval: by words, and by the embeddings of the texts."""

_RANK_OFFSET = 60
"""Added to a rank before its reciprocal is taken, so that the first ranks differ little (Cormack et al. 2009)."""

Rank = TypeVar("Rank", Column, NDArray[np.float64], float)


class SearchResult(NamedTuple):
    """Questions that a search found, best first within each query; of equal scores the older one is first.

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
