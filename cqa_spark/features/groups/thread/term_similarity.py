"""How similar query and candidate are when rare terms count more than common ones."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn
from cqa_spark.features.groups.thread.term_match import TermMatch
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.pair_texts import pair_texts

_MATCHES = (
    TermMatch("query", "query", "candidate", "the query", "the candidate"),
    TermMatch("subject", "subject", "candidate", "the query's subject", "the candidate"),
)
_FEATURES = {feature: sql for match in _MATCHES for feature, sql in match.features().items()}


class TermSimilarityV1(CollectionGroup):
    """Tf-idf cosines, idf-weighted containment and BM25; learns how many texts hold each stem."""

    name: ClassVar[str] = "term_similarity_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "similarity of the candidate and the query by stems that are weighed by their rarity"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the weighed stems of each pair; where either text has none, all values are 0."""
        pairs = self.entities(inputs.examples)
        compared = pair_texts(pairs, inputs, lambda texts: self.collection.weigh(texts, self.terms))
        matched = compared.selectExpr("*", *[match.shared_weights() for match in _MATCHES])
        values = [F.coalesce(F.expr(sql), F.lit(0.0)).alias(feature.name) for feature, sql in _FEATURES.items()]
        return matched.select(*self.entity.key, *values)
