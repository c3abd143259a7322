"""The loop over the postings of a shard, compiled by Numba.

The library bm25s takes its statistics from the documents that it indexes, cuts ties by their place in memory, and
restricts all queries of a call to the same documents. A shard needs the statistics of the site, an order of ties that
does not depend on the shards, and for every query the questions that are earlier. So the loop is here.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from cqa_spark.retrieval.shard import Indices, Scores

_BLOCK = 128


@numba.njit(cache=True, nogil=True)
def best_questions(
    query_starts: Indices,
    query_terms: Indices,
    repeated: Scores,
    before: Indices,
    starts: Indices,
    places: NDArray[np.int32],
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
        places: question of each posting, by its place in the shard; earlier questions first.
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
            for posting in range(first, first + np.searchsorted(places[first:last], end)):
                total[places[posting]] += weight * scores[posting]
        best, numbers[query] = _best(total[:end], limit)
        found_places[size : size + numbers[query]] = best
        found_scores[size : size + numbers[query]] = total[best]
        size += numbers[query]
    return numbers, found_places[:size], found_scores[:size]


@numba.njit(cache=True, nogil=True)
def _best(total: Scores, limit: int) -> tuple[Indices, int]:
    """The places of the highest scores above 0, the older first of equal ones, and their number.

    Most blocks of scores hold none that is high enough, which their maximum shows.
    """
    held_places = np.empty(2 * limit + _BLOCK, np.int64)
    held_scores = np.empty(2 * limit + _BLOCK, np.float32)
    lowest, size = np.float32(0), 0
    for start in range(0, len(total), _BLOCK):
        end = min(start + _BLOCK, len(total))
        if _highest(total[start:end]) <= lowest:
            continue
        for place in range(start, end):
            if total[place] > lowest:
                held_places[size], held_scores[size] = place, total[place]
                size += 1
        if size >= 2 * limit:
            size, lowest = _keep(held_places, held_scores, size, limit)
    size, lowest = _keep(held_places, held_scores, size, limit)
    return held_places[:size], size


@numba.njit(cache=True, nogil=True)
def _keep(places: Indices, scores: Scores, size: int, limit: int) -> tuple[int, np.float32]:
    """Sort what is held, the best first, and cut it; the number that is kept, and the score that others must exceed."""
    order = np.argsort(-scores[:size], kind="mergesort")[:limit]
    kept = len(order)
    places[:kept], scores[:kept] = places[order], scores[order]
    return kept, scores[limit - 1] if kept == limit else np.float32(0)


@numba.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _highest(scores: Scores) -> np.float32:
    """The maximum, by vector instructions: no score is NaN."""
    highest = np.float32(0)
    for score in scores:
        highest = max(highest, score)
    return highest
