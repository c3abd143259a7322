"""Similarity of query and candidate by terms weighted by rarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cqa_spark.features.arrays import ABSENT, Indices, Reals, share
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.learned_group import CollectionGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.text.terms import WeighedTexts

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class TokenCosineV1(QueryGroup):
    """Cosine of binary token vectors; tokens are separated by blanks in the raw text."""

    name = "token_cosine_v1"
    family = "similarity"
    about = "the baseline of the STS tasks"
    entity = Entity.PAIR
    columns = (
        FeatureColumn(
            "cosine",
            "cosine of the binary token vectors of the query and the candidate",
            "Agirre et al. 2016, SemEval-2016 Task 1: Semantic Textual Similarity, section 6.3",
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing."""
        pairs = zip(batch.query_text.tolist(), batch.candidate_text.tolist(), strict=True)
        tokens = [set(text.split()) for text in batch.texts.raw]
        cosines = [np.nan if ABSENT in pair else _cosine(*(tokens[text] for text in pair)) for pair in pairs]
        return {"cosine": np.array(cosines, dtype=np.float64)}


def _cosine(first: set[str], second: set[str]) -> float:
    """Shared tokens divided by the geometric mean of both counts; 0 if a text has none."""
    return len(first & second) / np.sqrt(len(first) * len(second)) if first and second else 0.0


# Similarity of two texts of a pair by the weights of their shared terms.


def tf_idf_cosine(texts: WeighedTexts, queries: Indices, candidates: Indices) -> Reals:
    """The cosine of the tf-idf vectors of each pair of texts; 0 where either has no terms."""
    first, second = texts.tf_idf[queries], texts.tf_idf[candidates]
    return share(_products(first, second), np.sqrt(_products(first, first) * _products(second, second)))


def covered_idf(texts: WeighedTexts, queries: Indices, candidates: Indices) -> Reals:
    """The idf of shared terms divided by the idf of the query's terms; 0 if it has no terms."""
    idf = texts.idf[queries]
    return share(_products(idf, texts.idf[candidates].sign()), _total(idf))


def bm25(texts: WeighedTexts, queries: Indices, candidates: Indices) -> Reals:
    """The sum of the BM25 weights of the shared terms."""
    return _products(texts.idf[queries].sign(), texts.bm25[candidates])


_MEASURES = {
    "cosine": (
        tf_idf_cosine,
        "cosine of the tf-idf vectors of {query}'s and {candidate}'s stems",
        "Salton and Buckley 1988, Term-weighting approaches in automatic text retrieval",
    ),
    "covered": (
        covered_idf,
        "share of the idf of {query}'s stems that occur in {candidate}",
        "Broder 1997, On the resemblance and containment of documents, weighted by idf",
    ),
    "bm25": (
        bm25,
        "BM25 of {candidate}'s stems for {query}",
        "Robertson and Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, section 3",
    ),
}
"""Each measure by suffix of its feature name: function, meaning and source."""


@dataclass(frozen=True)
class TermMatch:
    """A comparison of two texts of a pair.

    Attributes:
        name: prefix of the feature names: ``{name}_cosine`` and so on.
        query: description of the query's text.
        candidate: description of the candidate's text.
    """

    name: str
    query: str
    candidate: str

    @property
    def columns(self) -> tuple[FeatureColumn, ...]:
        """The features."""
        return tuple(
            FeatureColumn(f"{self.name}_{measure}", about.format(query=self.query, candidate=self.candidate), source)
            for measure, (_, about, source) in _MEASURES.items()
        )

    def compare(self, texts: WeighedTexts, queries: Indices, candidates: Indices) -> dict[str, Reals]:
        """The values of the features.

        Args:
            texts: the weighted texts.
            queries: index of the query's text of each pair; ``ABSENT`` for none.
            candidates: index of the candidate's text.
        """
        return {
            f"{self.name}_{name}": compute(texts, queries, candidates) for name, (compute, _, _) in _MEASURES.items()
        }


def _products(first: csr_matrix, second: csr_matrix) -> Reals:
    """The inner product of each row with the same row of the other matrix."""
    return _total(first.multiply(second))


def _total(rows: csr_matrix) -> Reals:
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()


_QUERY = TermMatch("query", "the query", "the candidate")
_SUBJECT = TermMatch("subject", "the query's subject", "the candidate")


class TermSimilarityV1(CollectionGroup):
    """Tf-idf cosines, idf-weighted containment and BM25; fitted on document frequencies of stems."""

    name = "term_similarity_v1"
    family = "similarity"
    about = "similarity of the candidate and the query by tf-idf of stems"
    entity = Entity.PAIR
    columns = (*_QUERY.columns, *_SUBJECT.columns)

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the weighted stems of each pair; 0 if either text has none."""
        texts = self.weighed(batch)
        return {
            **_QUERY.compare(texts, batch.query_text, batch.candidate_text),
            **_SUBJECT.compare(texts, batch.subject_text, batch.candidate_text),
        }
