"""BM25 over a shard, with the statistics of the whole site.

Source:
    Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond, section 3; the idf of Lucene,
    which is never negative. Scores of postings are computed once and added up per query (Lù 2024, BM25S).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.retrieval.search_result import SearchResult
from cqa_spark.retrieval.shard import Indices, QuestionTimes, Scores, Shard, count_terms


@dataclass(frozen=True)
class Bm25:
    """The parameters of BM25.

    Attributes:
        k1: saturation of the term frequency.
        b: strength of the length normalization, 0 to 1.
    """

    k1: float = 1.2
    b: float = 0.75


class SiteStatistics(NamedTuple):
    """The statistics of a site on which scores depend.

    Attributes:
        questions: number of indexed questions of the site.
        terms: number of their terms, including repetitions.
        questions_with: document frequency in the site of each term of the shard's vocabulary.
    """

    questions: int
    terms: int
    questions_with: Indices


@dataclass(frozen=True)
class Bm25Index:
    """A shard with the score of every posting."""

    shard: Shard
    scores: Scores

    @classmethod
    def of(cls, shard: Shard, site: SiteStatistics, parameters: Bm25) -> Bm25Index:
        """Score the postings of a shard."""
        k1, b = parameters.k1, parameters.b
        idf = np.log1p((site.questions - site.questions_with + 0.5) / (site.questions_with + 0.5))
        mean_length = site.terms / site.questions if site.terms else 1.0
        norm = k1 * (1 - b + b * shard.lengths / mean_length)
        norm[shard.deleted] = np.inf  # so that these questions score 0
        weight = np.repeat(idf, shard.questions_with)  # by posting, as the scores
        scores = weight * shard.counts * (k1 + 1) / (shard.counts + norm[shard.rows])
        return cls(shard, scores.astype(np.float32))

    def search(self, texts: pa.Array, times: QuestionTimes, limit: int) -> SearchResult:
        """The best earlier questions for each query; deleted questions are not found.

        A score is the sum over the terms in lexicographic order, so it is the same in every shard. Ties are broken by
        time, the older question first.

        Args:
            texts: texts of the queries.
            times: times of the queries.
            limit: questions per query, at least 1.
        """
        terms, shard = count_terms(texts), self.shard
        in_shard = pc.index_in(terms.vocabulary, value_set=shard.vocabulary).fill_null(-1).to_numpy()
        # Query, term of the shard and frequency, of the terms of the queries that the shard has.
        is_indexed = in_shard[terms.term] >= 0 if len(terms.term) else np.zeros(0, dtype=bool)
        query, repeated = terms.text[is_indexed], terms.count[is_indexed]
        term = in_shard[terms.term[is_indexed]].astype(np.int64)
        counts, rows, scores = best_questions(
            np.searchsorted(query, np.arange(len(texts) + 1)).astype(np.int64),
            term,
            repeated.astype(np.float32),
            shard.times.before(times),
            shard.starts,
            shard.rows.view(np.uint32),  # unsigned: no check for negative indices
            self.scores,
            limit,
        )
        return SearchResult(np.repeat(np.arange(len(texts)), counts), rows, scores)


_BLOCK = 64
"""Questions of a block, whose highest score is computed at once."""


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
    """The best questions of each query: the loop over the postings of a shard, compiled by Numba.

    The library bm25s takes its statistics from the documents that it indexes, cuts ties by their position in memory,
    and restricts all queries of a call to the same documents. A shard needs the statistics of the site, an order of
    ties that does not depend on the shards, and for every query the questions that are earlier. So the loop is here.

    Args:
        query_starts: index of the first term of each query, then the number of all terms.
        query_terms: terms of all queries, as indices into the vocabulary.
        repeated: frequency of each term in its query.
        before: number of questions that are earlier than each query.
        starts: index of the first posting of each term, then the number of all postings.
        rows: index of each posting's question; earlier questions first.
        scores: score of each posting.
        limit: questions per query, at least 1.

    Returns:
        The number of questions of each query; their indices and their scores, best first within each query.
    """
    queries = len(query_starts) - 1
    counts = np.zeros(queries, np.int64)
    best_rows = np.empty(queries * limit, np.int64)
    best_scores = np.empty(queries * limit, np.float32)
    # The sum of the scores of each question; one array serves all queries.
    total = np.empty(before.max() if queries else 0, np.float32)
    size = 0
    for query in range(queries):
        end = before[query]
        total[:end] = 0
        for index in range(query_starts[query], query_starts[query + 1]):
            first, last = starts[query_terms[index]], starts[query_terms[index] + 1]
            weight = repeated[index]
            # Postings are in the order of time: the earlier questions are a prefix.
            for posting in range(first, first + np.searchsorted(rows[first:last], end)):
                total[rows[posting]] += weight * scores[posting]
        best = highest_scores(total[:end], limit)
        counts[query] = len(best)
        best_rows[size : size + len(best)] = best
        best_scores[size : size + len(best)] = total[best]
        size += len(best)
    return counts, best_rows[:size], best_scores[:size]


@numba.njit(cache=True, nogil=True)
def highest_scores(total: Scores, limit: int) -> Indices:
    """The rows of the highest scores above 0; of two equal ones the older is first.

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
    return rows[order]


@numba.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _highest(scores: Scores) -> np.float32:
    """The maximum, by vector instructions: no score is NaN."""
    highest = np.float32(0)
    for score in scores:
        highest = max(highest, score)
    return highest
