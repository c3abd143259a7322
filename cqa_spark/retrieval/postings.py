"""The loop over the postings of a shard, compiled by Numba.

The library bm25s takes its statistics from the documents that it indexes, cuts ties by their place in memory, and
restricts all queries of a call to the same documents. A shard needs the statistics of the site, an order of ties that
does not depend on the shards, and for every query the questions that are earlier. So the loop is here.
"""

from __future__ import annotations

import heapq

import numba
import numpy as np
from numpy.typing import NDArray

from cqa_spark.retrieval.shard import Indices, Scores


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
    longest = 0
    for query in range(queries):
        longest = max(longest, before[query])
    total = np.zeros(longest, np.float32)
    size = 0
    for query in range(queries):
        end = before[query]
        total[:end] = 0
        for at in range(query_starts[query], query_starts[query + 1]):
            term = query_terms[at]
            for posting in range(starts[term], starts[term + 1]):
                place = places[posting]
                if place >= end:
                    break
                total[place] += repeated[at] * scores[posting]
        best = [(np.float32(0), -1)]
        best.pop()
        for place in range(end):
            score = total[place]
            if score > 0:
                if len(best) < limit:
                    heapq.heappush(best, (score, -place))
                elif score > best[0][0]:
                    heapq.heapreplace(best, (score, -place))
        best.sort()
        numbers[query] = len(best)
        for score, negative in best[::-1]:
            found_places[size] = -negative
            found_scores[size] = score
            size += 1
    return numbers, found_places[:size], found_scores[:size]
