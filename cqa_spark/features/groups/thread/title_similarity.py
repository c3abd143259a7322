"""Similarity of the subjects of two questions."""

from collections.abc import Callable

import numpy as np
from rapidfuzz.distance import Levenshtein

from cqa_spark.features.arrays import ABSENT, Reals
from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.thread.term_match import TermMatch
from cqa_spark.features.groups.thread.unit_overlap import UnitCounts, UnitOverlap
from cqa_spark.features.query_batch import QueryBatch

_SUBJECTS = {
    unit: UnitOverlap("subject", "subject", "candidate_subject", unit)
    for unit in ("words", "content_words", "stems", "bigrams", "char3")
}
_OVERLAPS = (
    *_SUBJECTS.values(),
    *[UnitOverlap("query", "query", "candidate_subject", unit) for unit in ("content_words", "stems", "char3")],
)
_SUBJECT = TermMatch("subject", "the query's subject", "the candidate's subject")
_QUERY = TermMatch("query", "the query", "the candidate's subject")

_LEVENSHTEIN = "Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals"


def _lengths(words: UnitCounts) -> Reals:
    return np.log1p(words.said) - np.log1p(words.asked)


def _same(stems: UnitCounts) -> Reals:
    return np.where((stems.shared > 0) & (stems.shared == np.maximum(stems.asked, stems.said)), 1.0, 0.0)


_COUNTED: dict[FeatureColumn, tuple[UnitOverlap, Callable[[UnitCounts], Reals]]] = {
    **{feature: (overlap, of) for overlap in _OVERLAPS for feature, of in overlap.features().items()},
    FeatureColumn(
        "subject_lengths", "ln(words of the candidate's subject + 1) - ln(words of the query's subject + 1)", "ours"
    ): (_SUBJECTS["words"], _lengths),
    FeatureColumn("same_subject", "1 if both subjects have the same stems in any order, else 0", "ours"): (
        _SUBJECTS["stems"],
        _same,
    ),
}
"""Each column computed from counts, with the units compared and the function of their counts."""

_EDITS = FeatureColumn("subject_edits", "1 - edits between the subjects / characters of the longer one", _LEVENSHTEIN)


class TitleSimilarityV1(CollectionGroup):
    """Overlap, tf-idf, BM25 and edits between the subjects of two questions, and from the query to a subject.

    What the subject of the query has in common with the whole candidate is in ``overlap_v1`` and
    ``term_similarity_v1``. A candidate without a subject, such as a comment, gets NaN.
    """

    name = "title_similarity_v1"
    family = "similarity"
    about = "similarity of the query and its subject to the subject of the candidate question"
    entity = Entity.PAIR
    columns = (
        *_COUNTED,
        *_SUBJECT.columns,
        *_QUERY.columns,
        _EDITS,
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the subjects of each pair."""
        known = (batch.subject_text != ABSENT) & (batch.candidate_subject_text != ABSENT)
        if not known.any():
            return {column.name: np.full(len(batch), np.nan) for column in self.columns}
        texts, said = self.weighed(batch), batch.candidate_subject_text
        counts = {overlap: overlap.count(batch) for overlap in _OVERLAPS}
        values = {
            **{feature.name: of(counts[overlap]) for feature, (overlap, of) in _COUNTED.items()},
            **_SUBJECT.compare(texts, batch.subject_text, said),
            **_QUERY.compare(texts, batch.query_text, said),
            _EDITS.name: _unedited(batch),
        }
        return {name: np.where(known, found, np.nan) for name, found in values.items()}


def _unedited(batch: QueryBatch) -> Reals:
    """1 - edits / characters of the longer subject; 0 if both are empty."""
    subjects = zip(batch.subject_text.tolist(), batch.candidate_subject_text.tolist(), strict=True)
    clean = [*batch.texts.clean, ""]
    letters = ((clean[one].lower(), clean[other].lower()) for one, other in subjects)
    return np.array([Levenshtein.normalized_similarity(one, other) if one or other else 0.0 for one, other in letters])
