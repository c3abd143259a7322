"""Exact search of a shard by the cosine of embeddings.

A matrix product of single precision finds the candidates, and integer products decide: components have four decimal
places, so sums of their products are exact as integers, and the number of shards changes no score. The product covers
earlier questions only, which an index of nearest neighbours cannot leave out (``bench/retrieval.py`` compares both).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cqa_spark.retrieval.search_result import SearchResult
from cqa_spark.retrieval.shard import SCALE, Indices, QuestionTimes, Shard, Vectors

_QUERIES = 64
"""Queries of a matrix product."""
_ERROR = 1e-4 * SCALE**2
"""Above the error of products in single precision, which is at most the dimension by 2⁻²⁴ for unit vectors."""


@dataclass(frozen=True)
class DenseIndex:
    """A shard whose questions have vectors."""

    shard: Shard

    def search(self, vectors: Vectors, times: QuestionTimes, limit: int) -> SearchResult:
        """The nearest earlier questions for each query; deleted questions are not found.

        Args:
            vectors: vectors of the queries, shape (queries, dimension); a query without a vector, zeros, finds nothing.
            times: times of the queries.
            limit: questions per query, at least 1.
        """
        if not self.shard.vectors.shape[1] or not vectors.shape[1]:
            return SearchResult(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        before = self.shard.times.before(times)  # number of earlier questions, by query
        by_time = np.argsort(before, kind="stable")
        questions = self.shard.vectors[: before.max(initial=0)].astype(np.float32)
        deleted = np.flatnonzero(self.shard.deleted)
        best: list[tuple[Indices, NDArray[np.float64]]] = [(np.zeros(0, np.int64), np.zeros(0))] * len(vectors)
        for start in range(0, len(vectors), _QUERIES):
            # Queries of about the same time, so that the last one needs few questions more than the first.
            queries = by_time[start : start + _QUERIES]
            earlier = before[queries[-1]]
            products = vectors[queries].astype(np.float32) @ questions[:earlier].T
            products[:, deleted[deleted < earlier]] = -np.inf
            for query, row in zip(queries.tolist(), products, strict=True):
                best[query] = self._best(vectors[query], row[: before[query]], limit)
        return SearchResult(
            np.repeat(np.arange(len(vectors)), [len(rows) for rows, _ in best]),
            np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in best)]),
            np.concatenate([np.zeros(0), *(scores for _, scores in best)]),
        )

    def _best(self, query: Vectors, products: NDArray[np.float32], limit: int) -> tuple[Indices, NDArray[np.float64]]:
        """The rows and cosines of the best questions, by exact products of those that may be among the best."""
        lowest = np.partition(products, -limit)[-limit] - 2 * _ERROR if len(products) > limit else -_ERROR
        near = np.flatnonzero(products >= max(lowest, -_ERROR))  # lower products are not above 0
        exact = self.shard.vectors[near].astype(np.int64) @ query.astype(np.int64)
        order = np.argsort(-exact, kind="stable")[:limit]
        order = order[exact[order] > 0]
        return near[order], exact[order] / SCALE**2
