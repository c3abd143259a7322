"""Similarity of two texts of a pair by the weights of the terms that both have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cqa_spark.features.arrays import Indices
from cqa_spark.features.group import FeatureColumn
from cqa_spark.text.terms import Numbers, WeighedTexts

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def tf_idf_cosine(texts: WeighedTexts, asked: Indices, said: Indices) -> Numbers:
    """The cosine of the tf-idf vectors of each pair of texts; 0 where either has no terms."""
    one, other = texts.tf_idf[asked], texts.tf_idf[said]
    return _over(_products(one, other), np.sqrt(_products(one, one) * _products(other, other)))


def covered_idf(texts: WeighedTexts, asked: Indices, said: Indices) -> Numbers:
    """The share of the idf of the terms of one text that the other has too; 0 where the one has no terms."""
    idf = texts.idf[asked]
    return _over(_products(idf, texts.idf[said].sign()), _total(idf))


def bm25(texts: WeighedTexts, asked: Indices, said: Indices) -> Numbers:
    """The sum of the BM25 weights of one text's terms that the other has too."""
    return _products(texts.idf[asked].sign(), texts.bm25[said])


_MEASURES = {
    "cosine": (
        tf_idf_cosine,
        "cosine of the tf-idf vectors of {asks}'s and {says}'s stems",
        "Salton and Buckley 1988, Term-weighting approaches in automatic text retrieval",
    ),
    "covered": (
        covered_idf,
        "share of the idf of {asks}'s stems that {says} has too",
        "Broder 1997, On the resemblance and containment of documents, weighed by idf",
    ),
    "bm25": (
        bm25,
        "BM25 of {says}'s stems for {asks}",
        "Robertson and Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, section 3",
    ),
}
"""Each measure by the end of its feature's name: how it is computed, what it means, and where it comes from."""


@dataclass(frozen=True)
class TermMatch:
    """Which texts of a pair are compared.

    Attributes:
        name: what the features are called: ``{name}_cosine`` and so on.
        asks: the text that asks, for people.
        says: the text that answers, for people.
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

    def compare(self, texts: WeighedTexts, asked: Indices, said: Indices) -> dict[str, Numbers]:
        """The values of the features.

        Args:
            texts: the weighed texts.
            asked: index of the text of each pair that asks; ``ABSENT`` for none.
            said: index of the text that answers.
        """
        return {f"{self.name}_{name}": compute(texts, asked, said) for name, (compute, _, _) in _MEASURES.items()}


def _products(one: csr_matrix, other: csr_matrix) -> Numbers:
    """The inner product of each row with the same row of the other matrix."""
    return _total(one.multiply(other))


def _total(rows: csr_matrix) -> Numbers:
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()


def _over(part: Numbers, whole: Numbers) -> Numbers:
    """A part over a whole; 0 of nothing is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
