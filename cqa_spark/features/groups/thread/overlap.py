"""Overlap of the wording of candidate and query."""

from collections.abc import Callable

import numpy as np

from cqa_spark.features.arrays import ABSENT, Reals
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.thread.unit_overlap import JACCARD, UNITS, UnitCounts, UnitOverlap, share
from cqa_spark.features.query_batch import QueryBatch

_OF_QUERY = {unit: UnitOverlap("query", "query", "candidate", unit) for unit in UNITS}
_COMPARED = (
    *[_OF_QUERY[unit] for unit in UNITS if unit != "numbers"],
    *[UnitOverlap("subject", "subject", "candidate", unit) for unit in ("content_words", "stems", "char3")],
)
"""The units compared: all of them for the whole query, some for its subject alone."""

_FEATURES: dict[FeatureColumn, tuple[UnitOverlap, Callable[[UnitCounts], Reals]]] = {
    **{feature: (compared, of) for compared in _COMPARED for feature, of in compared.features().items()},
    FeatureColumn("shared_stems", "ln(1 + distinct stems shared by both)", JACCARD): (
        _OF_QUERY["stems"],
        lambda stems: np.log1p(stems.shared),
    ),
    FeatureColumn("shared_numbers", "ln(1 + distinct words with a digit shared by both)", "ours"): (
        _OF_QUERY["numbers"],
        lambda numbers: np.log1p(numbers.shared),
    ),
    FeatureColumn(
        "length_share", "distinct words of the candidate over the sum of both texts' distinct words", "ours"
    ): (_OF_QUERY["words"], lambda words: share(words.said, words.said + words.asked)),
}
"""Each column with the units compared and the function of their counts."""


class OverlapV1(QueryGroup):
    """Set overlap of words, stems and n-grams of the two texts; every unit counts once per text."""

    name = "overlap_v1"
    family = "similarity"
    about = "overlap of the candidate's wording with the query and with the query's subject"
    entity = Entity.PAIR
    columns = tuple(_FEATURES)

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing."""
        counts = {compared: compared.count(batch) for compared in {each for each, _ in _FEATURES.values()}}
        known = (batch.query_text != ABSENT) & (batch.candidate_text != ABSENT)
        return {
            feature.name: np.where(known, of(counts[compared]), np.nan) for feature, (compared, of) in _FEATURES.items()
        }
