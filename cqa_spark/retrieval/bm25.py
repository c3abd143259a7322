"""BM25 over a shard, with the statistics of the whole site.

Source:
    Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond, section 3; the idf of Lucene,
    which is never negative. Scores of postings are computed once and added up per query (Lù 2024, BM25S).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.retrieval.search_result import SearchResult
from cqa_spark.retrieval.shard import Indices, QuestionTimes, Scores, Shard
from cqa_spark.retrieval.terms import count_terms


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
        weight = np.repeat(idf, shard.questions_with)
        scores = weight * shard.counts * (k1 + 1) / (shard.counts + norm[shard.places])
        return cls(shard, scores.astype(np.float32))

    def search(self, texts: pa.Array, asked: QuestionTimes, limit: int) -> SearchResult:
        """The best earlier questions for each query, of those that are not deleted.

        A score is the sum over the terms in lexicographic order, so it is the same in every shard. Ties are broken by
        time, the older question first.

        Args:
            texts: texts of the queries.
            asked: times of the queries.
            limit: questions per query, at least 1.
        """
        from cqa_spark.retrieval.postings import best_questions  # imports Numba, which takes a second

        terms, shard = count_terms(texts), self.shard
        in_shard = pc.index_in(terms.vocabulary, value_set=shard.vocabulary).fill_null(-1).to_numpy()
        is_indexed = in_shard[terms.term] >= 0 if len(terms.term) else np.zeros(0, dtype=bool)
        query, term, repeated = (
            terms.text[is_indexed],
            in_shard[terms.term[is_indexed]].astype(np.int64),
            terms.count[is_indexed],
        )
        starts = np.searchsorted(query, np.arange(len(texts) + 1)).astype(np.int64)
        numbers, rows, scores = best_questions(
            starts, term, repeated.astype(np.float32), shard.asked.before(asked), shard.starts,
            shard.places.view(np.uint32), self.scores, limit,  # unsigned: no check for negative indices
        )  # fmt: skip
        return SearchResult(np.repeat(np.arange(len(texts)), numbers), rows, scores)
