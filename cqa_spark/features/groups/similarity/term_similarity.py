"""How similar query and candidate are when rare terms count more than common ones."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.features.group import Entity, FeatureColumn, FeatureInputs, FittedFeatureGroup
from cqa_spark.features.pair_texts import pair_texts
from cqa_spark.text.terms import Collection

_TERMS = "stems"
_SIDES = {"query": "the query", "subject": "the query's subject"}
_LEARNED_FROM = ("train", "unannotated")
"""Splits whose texts tell how common a term is."""

_TF_IDF = "Salton and Buckley 1988, Term-weighting approaches in automatic text retrieval"
_COVERED = "Broder 1997, On the resemblance and containment of documents, weighed by idf"
_BM25 = "Robertson and Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, section 3"


def _measures(side: str) -> dict[FeatureColumn, str]:
    """The features of one side, each with its SQL over the pair's texts and the weights of the terms they share."""
    whose, shared = _SIDES[side], f"shared_with_{side}"
    return {
        FeatureColumn(
            f"{side}_cosine", f"cosine of the tf-idf vectors of {whose}'s and the candidate's stems", _TF_IDF
        ): f"{_sum(shared, 'term.asked.tf_idf * term.said.tf_idf')} / ({side}.norm * candidate.norm)",
        FeatureColumn(
            f"{side}_covered", f"share of the idf of {whose}'s stems that the candidate has too", _COVERED
        ): f"{_sum(shared, 'term.asked.idf')} / {side}.idf",
        FeatureColumn(f"{side}_bm25", f"BM25 of the candidate's stems for {whose}", _BM25): _sum(
            shared, "term.said.bm25"
        ),
    }


def _shared_weights(side: str) -> str:
    """The weights of the terms that both texts have, in the order of the terms."""
    shared = f"array_intersect({side}.terms, candidate.terms)"
    both = f"named_struct('asked', {side}.weights[term], 'said', candidate.weights[term])"
    return f"transform({shared}, term -> {both}) AS shared_with_{side}"


def _sum(terms: str, value: str) -> str:
    """A sum in the order of the array, so that it comes out the same to the last digit however rows were spread."""
    return f"aggregate({terms}, 0D, (sum, term) -> sum + {value})"


_FEATURES = {feature: sql for side in _SIDES for feature, sql in _measures(side).items()}


class TermSimilarityV1(FittedFeatureGroup):
    """Tf-idf cosines, idf-weighted containment and BM25; learns how many texts hold each stem."""

    name: ClassVar[str] = "term_similarity_v1"
    about: ClassVar[str] = "similarity of the candidate and the query by stems that are weighed by their rarity"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = False

    def __init__(self, collection: Collection | None = None) -> None:
        self._collection = collection

    @property
    def collection(self) -> Collection:
        """How many texts hold each stem.

        Raises:
            ContractError: the group is not fitted.
        """
        if self._collection is None:
            raise ContractError(f"feature group {self.name} is not fitted", "call fit or load first")
        return self._collection

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the distinct texts of the training and unannotated documents, whatever the examples."""
        learned_from = inputs.documents.where(F.col("split").isin(*_LEARNED_FROM))
        texts = inputs.texts.join(learned_from, on="text_id", how="left_semi")
        return type(self)(Collection.of(texts, _TERMS))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the weighed stems of each pair; where either text has none, all values are 0."""
        compared = pair_texts(
            self.entities(inputs.examples), inputs, lambda texts: self.collection.weigh(texts, _TERMS)
        )
        matched = compared.selectExpr("*", *map(_shared_weights, _SIDES))
        values = [F.coalesce(F.expr(sql), F.lit(0.0)).alias(feature.name) for feature, sql in _FEATURES.items()]
        return matched.select(*self.entity.key, *values)

    def save(self, path: str) -> None:
        """Write the counts as Parquet."""
        self.collection.save(path)

    @classmethod
    def load(cls, path: str) -> Self:
        """Read the counts."""
        return cls(Collection.load(SparkSession.active(), path))
