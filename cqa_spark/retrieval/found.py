"""What a search of a shard finds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cqa_spark.retrieval.shard import Indices

BM25, COSINE = "bm25", "cosine"
"""The ways of retrieval: by words, and by the embeddings of the texts."""

RANK_OFFSET = 60
"""What reciprocal rank fusion adds to a rank, so that the first ranks differ little (Cormack et al. 2009)."""


class Found(NamedTuple):
    """Questions that a search found, best first within each query; of equal scores the older one is first.

    Attributes:
        query: index of the query.
        place: index of the question in the shard.
        score: its score, above 0.
    """

    query: Indices
    place: Indices
    score: NDArray[np.floating]
