"""The loop over the postings of a shard, compiled by Numba.

The library bm25s takes its statistics from the documents that it indexes, cuts ties by their place in memory, and
restricts all queries of a call to the same documents. A shard needs the statistics of the site, an order of ties that
does not depend on the shards, and for every query the questions that are earlier. So the loop is here.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from cqa_spark.retrieval.shard import Indices, Scores

_BLOCK = 64


@numba.njit(cache=True, nogil=True)
def best_questions(
    query_starts: Indices,
    query_terms: Indices,
    repeated: Scores,
    before: Indices,
    starts: Indices,
    rows: NDArray[np.uint32],
    scores: Scores,
    limit: int,
) -> tuple[Indices, Indices, Scores]:
    """The best questions of each query.

    Args:
        query_starts: where the terms of each query start, and their number.
        query_terms: terms of all queries, as places in the vocabulary.
        repeated: how often each query repeats each of its terms.
        before: number of questions that are earlier than each query.
        starts: where the postings of each term start, and their number.
        rows: question of each posting, by its place in the shard; earlier questions first.
        scores: score of each posting.
        limit: questions per query, at least 1.

    Returns:
        The number of questions of each query; their places and their scores, best first within each query.
    """
    queries = len(query_starts) - 1
    numbers = np.zeros(queries, np.int64)
    found_places = np.empty(queries * limit, np.int64)
    found_scores = np.empty(queries * limit, np.float32)
    total = np.empty(before.max() if queries else 0, np.float32)
    size = 0
    for query in range(queries):
        end = before[query]
        total[:end] = 0
        for at in range(query_starts[query], query_starts[query + 1]):
            first, last = starts[query_terms[at]], starts[query_terms[at] + 1]
            weight = repeated[at]
            for posting in range(first, first + np.searchsorted(rows[first:last], end)):
                total[rows[posting]] += weight * scores[posting]
        best, numbers[query] = _best(total[:end], limit)
        found_places[size : size + numbers[query]] = best
        found_scores[size : size + numbers[query]] = total[best]
        size += numbers[query]
    return numbers, found_places[:size], found_scores[:size]


@numba.njit(cache=True, nogil=True)
def _best(total: Scores, limit: int) -> tuple[Indices, int]:
    """The places of the highest scores above 0, the older first of equal ones, and their number.

    The score that at least ``limit`` blocks reach is a lower bound of the last score to keep. Few scores reach it, and
    only these are sorted.
    """
    blocks = (len(total) + _BLOCK - 1) // _BLOCK
    highest = np.empty(blocks, np.float32)
    for block in range(blocks):
        highest[block] = _highest(total[block * _BLOCK : (block + 1) * _BLOCK])
    lowest = np.partition(highest, blocks - limit)[blocks - limit] if blocks > limit else np.float32(0)
    rows = np.empty(len(total), np.int64)
    size = 0
    for block in range(blocks):
        if highest[block] >= lowest:
            for row in range(block * _BLOCK, min((block + 1) * _BLOCK, len(total))):
                if total[row] >= lowest and total[row] > 0:
                    rows[size] = row
                    size += 1
    order = np.argsort(-total[rows[:size]], kind="mergesort")[:limit]
    return rows[order], len(order)


@numba.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _highest(scores: Scores) -> np.float32:
    """The maximum, by vector instructions: no score is NaN."""
    highest = np.float32(0)
    for score in scores:
        highest = max(highest, score)
    return highest
