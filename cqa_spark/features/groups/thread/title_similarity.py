"""How similar the subjects of two questions are."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.groups.thread.term_match import TermMatch
from cqa_spark.features.groups.thread.unit_overlap import UnitOverlap, unit_sets
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.pair_texts import pair_texts

_UNITS = ("words", "content_words", "stems", "bigrams", "char3")
_SIDES = ("query", "subject", "candidate_subject")

_OVERLAPS = (
    *[UnitOverlap("subject", "subject", "candidate_subject", unit) for unit in _UNITS],
    *[UnitOverlap("query", "query", "candidate_subject", unit) for unit in ("content_words", "stems", "char3")],
)
_MATCHES = (
    TermMatch("subject", "subject", "candidate_subject", "the query's subject", "the candidate's subject"),
    TermMatch("query", "query", "candidate_subject", "the query", "the candidate's subject"),
)

_LEVENSHTEIN = "Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals"
_EDITS = "levenshtein(subject.letters, candidate_subject.letters)"
_LONGER = "greatest(length(subject.letters), length(candidate_subject.letters))"

_FEATURES = {
    **{feature: sql for overlap in _OVERLAPS for feature, sql in overlap.features().items()},
    **{feature: f"coalesce({sql}, 0D)" for match in _MATCHES for feature, sql in match.features().items()},
    FeatureColumn(
        "subject_edits", "1 - edits that turn one subject into the other over characters of the longer", _LEVENSHTEIN
    ): f"if({_LONGER} > 0, 1 - {_EDITS} / {_LONGER}, 0D)",
    FeatureColumn(
        "subject_lengths", "ln(words of the candidate's subject + 1) - ln(words of the query's subject + 1)", "ours"
    ): "ln(1 + subject_words.said) - ln(1 + subject_words.asked)",
    FeatureColumn(
        "same_subject", "1 where both subjects have the same stems, in any order, else 0", "ours"
    ): "subject_stems.shared > 0 and subject_stems.shared = greatest(subject_stems.asked, subject_stems.said)",
}


class TitleSimilarityV1(CollectionGroup):
    """Overlap, tf-idf, BM25 and edits between the subjects of two questions, and from the query to a subject.

    What the subject of the query has in common with the whole candidate is in ``overlap_v1`` and
    ``term_similarity_v1``. A candidate without a subject, such as a comment, is left out.
    """

    name: ClassVar[str] = "title_similarity_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "similarity of the query and its subject to the subject of the candidate question"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the subjects of each pair."""
        pairs = _of_questions(self.entities(inputs.examples), inputs.documents)
        described = pair_texts(pairs, inputs, self._describe, _SIDES)
        known = described.where("subject is not null and candidate_subject is not null")
        matched = known.selectExpr("*", *[match.shared_weights() for match in _MATCHES])
        counted = matched.select("*", *[overlap.count() for overlap in _OVERLAPS])
        return counted.select(*self.entity.key, *feature_values(_FEATURES))

    def _describe(self, texts: DataFrame) -> DataFrame:
        sets = unit_sets(texts, _UNITS, keep=["lower(clean) AS letters"])
        return sets.join(self.collection.weigh(texts, self.terms), on="text_id", how="left")


def _of_questions(pairs: DataFrame, documents: DataFrame) -> DataFrame:
    """The pairs whose candidate has a subject: most pairs are of comments, and describing those would be in vain."""
    questions = documents.where("subject_text_id is not null")
    return pairs.join(
        questions.select("site", F.col("document_id").alias("candidate_id")), ["site", "candidate_id"], "left_semi"
    )
