"""Similarity of two texts of a pair by the weights of the terms that both have."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.features.group import FeatureColumn

_TF_IDF = "Salton and Buckley 1988, Term-weighting approaches in automatic text retrieval"
_COVERED = "Broder 1997, On the resemblance and containment of documents, weighed by idf"
_BM25 = "Robertson and Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, section 3"


@dataclass(frozen=True)
class TermMatch:
    """Which texts of a pair are compared; their columns hold what ``Collection.weigh`` gives.

    Attributes:
        name: what the features are called: ``{name}_cosine`` and so on.
        asked: the column of the text that asks.
        said: the column of the text that answers.
        asks: what asks, for people.
        says: what answers, for people.
    """

    name: str
    asked: str
    said: str
    asks: str
    says: str

    def shared_weights(self) -> str:
        """SQL of the column that ``features`` reads: weights of the terms of both texts, in the order of the terms."""
        shared = f"array_intersect({self.asked}.terms, {self.said}.terms)"
        both = f"named_struct('asked', {self.asked}.weights[term], 'said', {self.said}.weights[term])"
        return f"transform({shared}, term -> {both}) AS {self._shared}"

    def features(self) -> dict[FeatureColumn, str]:
        """The features, each with its SQL over the pair's texts and ``shared_weights``; null without terms."""
        products = _sum(self._shared, "term.asked.tf_idf * term.said.tf_idf")
        return {
            FeatureColumn(
                f"{self.name}_cosine", f"cosine of the tf-idf vectors of {self.asks}'s and {self.says}'s stems", _TF_IDF
            ): f"{products} / ({self.asked}.norm * {self.said}.norm)",
            FeatureColumn(
                f"{self.name}_covered", f"share of the idf of {self.asks}'s stems that {self.says} has too", _COVERED
            ): f"{_sum(self._shared, 'term.asked.idf')} / {self.asked}.idf",
            FeatureColumn(f"{self.name}_bm25", f"BM25 of {self.says}'s stems for {self.asks}", _BM25): _sum(
                self._shared, "term.said.bm25"
            ),
        }

    @property
    def _shared(self) -> str:
        return f"shared_by_{self.name}"


def _sum(terms: str, value: str) -> str:
    """A sum in the order of the array, so that it comes out the same to the last digit however rows were spread."""
    return f"aggregate({terms}, 0D, (sum, term) -> sum + {value})"
