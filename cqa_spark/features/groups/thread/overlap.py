"""How much of its wording a candidate shares with its query."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.groups.thread.unit_overlap import JACCARD, UNITS, UnitOverlap, share, unit_sets
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.pair_texts import pair_texts

_COMPARED = (
    *[UnitOverlap("query", "query", "candidate", unit) for unit in UNITS if unit != "numbers"],
    *[UnitOverlap("subject", "subject", "candidate", unit) for unit in ("content_words", "stems", "char3")],
)
"""The units that are compared with the candidate's: those of the whole query, and some of its subject alone."""

_NUMBERS = UnitOverlap("query", "query", "candidate", "numbers")

_FEATURES = {
    **{feature: sql for compared in _COMPARED for feature, sql in compared.features().items()},
    FeatureColumn("shared_stems", "ln(1 + distinct stems that both have)", JACCARD): "ln(1 + query_stems.shared)",
    FeatureColumn(
        "shared_numbers", "ln(1 + distinct words with a digit that both have)", "ours"
    ): "ln(1 + query_numbers.shared)",
    FeatureColumn(
        "length_share", "distinct words of the candidate over the sum of both texts' distinct words", "ours"
    ): share("query_words.said", "query_words.said + query_words.asked"),
}


class OverlapV1(FeatureGroup):
    """Set overlap of what the two texts consist of, from words to runs of characters; every unit counts once a text."""

    name: ClassVar[str] = "overlap_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "wording that the candidate shares with the query and with the query's subject"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the texts of each pair; a pair of which a text is not known is left out."""
        pairs = pair_texts(self.entities(inputs.examples), inputs, lambda texts: unit_sets(texts, UNITS))
        known = pairs.where("query is not null and candidate is not null")
        counted = known.select(*self.entity.key, *[compared.count() for compared in (*_COMPARED, _NUMBERS)])
        return counted.select(*self.entity.key, *feature_values(_FEATURES))
