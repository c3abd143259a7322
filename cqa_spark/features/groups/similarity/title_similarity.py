"""Similarity of the subjects of two questions."""

import numpy as np
from rapidfuzz.distance import Levenshtein

from cqa_spark.features.arrays import ABSENT, Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.similarity.overlap import UnitOverlap
from cqa_spark.features.groups.similarity.term_similarity import TermMatch
from cqa_spark.features.learned_group import CollectionGroup
from cqa_spark.features.query_batch import QueryBatch

_SUBJECTS = {
    unit: UnitOverlap("subject", "candidate_subject", unit)
    for unit in ("words", "content_words", "stems", "bigrams", "char3")
}
_OVERLAPS = (
    *_SUBJECTS.values(),
    *[UnitOverlap("query", "candidate_subject", unit) for unit in ("content_words", "stems", "char3")],
)
_SUBJECT = TermMatch("subject", "the query's subject", "the candidate's subject")
_QUERY = TermMatch("query", "the query", "the candidate's subject")

_LEVENSHTEIN = "Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals"


_EDITS = FeatureColumn("subject_edits", "1 - edits between the subjects / characters of the longer one", _LEVENSHTEIN)


class TitleSimilarityV1(CollectionGroup):
    """Overlap, tf-idf, BM25 and edits between the subjects of two questions, and from the query to a subject.

    Comparisons of the query's subject with the whole candidate are in ``overlap_v1`` and ``term_similarity_v1``.
    A candidate without a subject, such as a comment, gets NaN.
    """

    name = "title_similarity_v1"
    family = "similarity"
    about = "similarity of the query and its subject to the subject of the candidate question"
    entity = Entity.PAIR
    columns = (
        *[column for overlap in _OVERLAPS for column in overlap.columns],
        FeatureColumn(
            "subject_lengths", "ln(words of the candidate's subject + 1) - ln(words of the query's subject + 1)", "ours"
        ),
        FeatureColumn("same_subject", "1 if both subjects have the same stems in any order, else 0", "ours"),
        *_SUBJECT.columns,
        *_QUERY.columns,
        _EDITS,
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the subjects of each pair."""
        known = (batch.subject_text != ABSENT) & (batch.candidate_subject_text != ABSENT)
        if not known.any():
            return {column.name: np.full(len(batch), np.nan) for column in self.columns}
        texts, subjects = self.weighed(batch), batch.candidate_subject_text
        words, stems = (_SUBJECTS[unit].count(batch) for unit in ("words", "stems"))
        same = (stems.shared > 0) & (stems.shared == np.maximum(stems.in_query, stems.in_candidate))
        values = {
            **{name: column for overlap in _OVERLAPS for name, column in overlap.compare(batch).items()},
            "subject_lengths": np.log1p(words.in_candidate) - np.log1p(words.in_query),
            "same_subject": np.where(same, 1.0, 0.0),
            **_SUBJECT.compare(texts, batch.subject_text, subjects),
            **_QUERY.compare(texts, batch.query_text, subjects),
            _EDITS.name: _unedited(batch),
        }
        return {name: np.where(known, column, np.nan) for name, column in values.items()}


def _unedited(batch: QueryBatch) -> Reals:
    """1 - edits / characters of the longer subject; 0 if both are empty."""
    subjects = zip(batch.subject_text.tolist(), batch.candidate_subject_text.tolist(), strict=True)
    clean = [*batch.texts.clean, ""]
    similarities = []
    for query, candidate in subjects:
        first, second = clean[query].lower(), clean[candidate].lower()
        similarities.append(Levenshtein.normalized_similarity(first, second) if first or second else 0.0)
    return np.array(similarities)
