"""Similarity of two texts of a pair by the weights of their shared terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cqa_spark.features.arrays import Indices, Reals, share
from cqa_spark.features.group import FeatureColumn
from cqa_spark.text.terms import WeighedTexts

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def tf_idf_cosine(texts: WeighedTexts, asked: Indices, said: Indices) -> Reals:
    """The cosine of the tf-idf vectors of each pair of texts; 0 where either has no terms."""
    one, other = texts.tf_idf[asked], texts.tf_idf[said]
    return share(_products(one, other), np.sqrt(_products(one, one) * _products(other, other)))


def covered_idf(texts: WeighedTexts, asked: Indices, said: Indices) -> Reals:
    """The idf of shared terms divided by the idf of the terms of ``asked``; 0 if it has no terms."""
    idf = texts.idf[asked]
    return share(_products(idf, texts.idf[said].sign()), _total(idf))


def bm25(texts: WeighedTexts, asked: Indices, said: Indices) -> Reals:
    """The sum of the BM25 weights of the shared terms."""
    return _products(texts.idf[asked].sign(), texts.bm25[said])


_MEASURES = {
    "cosine": (
        tf_idf_cosine,
        "cosine of the tf-idf vectors of {asks}'s and {says}'s stems",
        "Salton and Buckley 1988, Term-weighting approaches in automatic text retrieval",
    ),
    "covered": (
        covered_idf,
        "share of the idf of {asks}'s stems that occur in {says}",
        "Broder 1997, On the resemblance and containment of documents, weighted by idf",
    ),
    "bm25": (
        bm25,
        "BM25 of {says}'s stems for {asks}",
        "Robertson and Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, section 3",
    ),
}
"""Each measure by suffix of its feature name: function, meaning and source."""


@dataclass(frozen=True)
class TermMatch:
    """A comparison of two texts of a pair.

    Attributes:
        name: prefix of the feature names: ``{name}_cosine`` and so on.
        asks: description of the text that asks.
        says: description of the text that answers.
    """

    name: str
    asks: str
    says: str

    @property
    def columns(self) -> tuple[FeatureColumn, ...]:
        """The features."""
        return tuple(
            FeatureColumn(f"{self.name}_{measure}", about.format(asks=self.asks, says=self.says), source)
            for measure, (_, about, source) in _MEASURES.items()
        )

    def compare(self, texts: WeighedTexts, asked: Indices, said: Indices) -> dict[str, Reals]:
        """The values of the features.

        Args:
            texts: the weighted texts.
            asked: index of the asking text of each pair; ``ABSENT`` for none.
            said: index of the answering text.
        """
        return {f"{self.name}_{name}": compute(texts, asked, said) for name, (compute, _, _) in _MEASURES.items()}


def _products(one: csr_matrix, other: csr_matrix) -> Reals:
    """The inner product of each row with the same row of the other matrix."""
    return _total(one.multiply(other))


def _total(rows: csr_matrix) -> Reals:
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
