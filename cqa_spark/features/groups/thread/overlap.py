"""How much of its wording a candidate shares with its query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.groups.thread.unit_overlap import JACCARD, UNITS, Numbers, UnitCounts, UnitOverlap, share
from cqa_spark.features.query_batch import QueryBatch

_OF_QUERY = {unit: UnitOverlap("query", "query", "candidate", unit) for unit in UNITS}
_COMPARED = (
    *[_OF_QUERY[unit] for unit in UNITS if unit != "numbers"],
    *[UnitOverlap("subject", "subject", "candidate", unit) for unit in ("content_words", "stems", "char3")],
)
"""The units that are compared with the candidate's: those of the whole query, and some of its subject alone."""

_FEATURES: dict[FeatureColumn, tuple[UnitOverlap, Callable[[UnitCounts], Numbers]]] = {
    **{feature: (compared, of) for compared in _COMPARED for feature, of in compared.features().items()},
    FeatureColumn("shared_stems", "ln(1 + distinct stems that both have)", JACCARD): (
        _OF_QUERY["stems"],
        lambda stems: np.log1p(stems.shared),
    ),
    FeatureColumn("shared_numbers", "ln(1 + distinct words with a digit that both have)", "ours"): (
        _OF_QUERY["numbers"],
        lambda numbers: np.log1p(numbers.shared),
    ),
    FeatureColumn(
        "length_share", "distinct words of the candidate over the sum of both texts' distinct words", "ours"
    ): (_OF_QUERY["words"], lambda words: share(words.said, words.said + words.asked)),
}
"""Each column with what is compared and how the counts give its values."""


class OverlapV1(QueryGroup):
    """Set overlap of what the two texts consist of, from words to runs of characters; every unit counts once a text."""

    name: ClassVar[str] = "overlap_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "wording that the candidate shares with the query and with the query's subject"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, batch: QueryBatch) -> Mapping[str, Numbers]:
        """Compare the texts of each pair; a pair of which a text is not known has no values."""
        counts = {compared: compared.count(batch) for compared in {each for each, _ in _FEATURES.values()}}
        known = (batch.query_text != ABSENT) & (batch.candidate_text != ABSENT)
        return {
            feature.name: np.where(known, of(counts[compared]), np.nan) for feature, (compared, of) in _FEATURES.items()
        }
