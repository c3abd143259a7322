"""Overlap of the wording of candidate and query."""

import numpy as np

from cqa_spark.features.arrays import ABSENT, share
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.thread.unit_overlap import JACCARD, UNITS, UnitOverlap
from cqa_spark.features.query_batch import QueryBatch

_OF_QUERY = {unit: UnitOverlap("query", "candidate", unit) for unit in UNITS}
_COMPARED = (
    *[_OF_QUERY[unit] for unit in UNITS if unit != "numbers"],
    *[UnitOverlap("subject", "candidate", unit) for unit in ("content_words", "stems", "char3")],
)
"""The units compared: all of them for the whole query, some for its subject alone."""


class OverlapV1(QueryGroup):
    """Set overlap of words, stems and n-grams of the two texts; every unit counts once per text."""

    name = "overlap_v1"
    family = "similarity"
    about = "overlap of the candidate's wording with the query and with the query's subject"
    entity = Entity.PAIR
    columns = (
        *[column for overlap in _COMPARED for column in overlap.columns],
        FeatureColumn("shared_stems", "ln(1 + distinct stems shared by both)", JACCARD),
        FeatureColumn("shared_numbers", "ln(1 + distinct words with a digit shared by both)", "ours"),
        FeatureColumn(
            "length_share", "distinct words of the candidate over the sum of both texts' distinct words", "ours"
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing."""
        known = (batch.query_text != ABSENT) & (batch.candidate_text != ABSENT)
        words, stems, numbers = (_OF_QUERY[unit].count(batch) for unit in ("words", "stems", "numbers"))
        values = {name: column for overlap in _COMPARED for name, column in overlap.compare(batch).items()}
        values["shared_stems"], values["shared_numbers"] = np.log1p(stems.shared), np.log1p(numbers.shared)
        values["length_share"] = share(words.said, words.said + words.asked)
        return {name: np.where(known, column, np.nan) for name, column in values.items()}
