"""How much of the query's wording the candidate repeats in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pyarrow as pa
from pyspark.sql import DataFrame

from cqa_spark.features.batches import Values, compute_in_batches
from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.pair_texts import pair_texts
from cqa_spark.text.comparison.sequences import NOTHING, SequenceSimilarity, compare_sequences

_SIDES = {"query": "the query", "subject": "the query's subject"}

_TILING = "Wise 1993, String similarity via greedy string tiling; Nicosia et al. 2015"
_SUBSEQUENCE = "Allison and Dix 1986, A bit-string longest-common-subsequence algorithm; Nicosia et al. 2015"
_SUBSTRING = "Gusfield 1997, Algorithms on strings, trees and sequences; Nicosia et al. 2015"

_ABOUT = {
    "tiled": ("words in common runs of two or more, over the words of both", _TILING),
    "longest_run": ("words of the longest common run over the words of the shorter", _TILING),
    "word_sequence": ("longest common subsequence of words over the words of the longer", _SUBSEQUENCE),
    "char_sequence": ("longest common subsequence of characters over those of the longer", _SUBSEQUENCE),
    "substring": ("longest common run of characters over those of the shorter", _SUBSTRING),
    "levenshtein": (
        "1 - edits over the characters of the longer",
        "Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals",
    ),
    "jaro_winkler": (
        "Jaro-Winkler similarity of the characters",
        "Winkler 1990, String comparator metrics and enhanced decision rules",
    ),
    "sorted_words": (
        "1 - insertions and deletions over the characters of both, words sorted first",
        "Cohen et al. 2003, A comparison of string distance metrics for name-matching tasks",
    ),
}
"""Each field of ``SequenceSimilarity``: meaning and source."""


class SequenceSimilarityV1(FeatureGroup):
    """Common runs, common subsequences and edits, of words and of characters in lower case."""

    name: ClassVar[str] = "sequence_similarity_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "wording that the candidate shares with the query in the same order"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(
        FeatureColumn(f"{side}_{field}", f"{whose} and the candidate: {about}", source)
        for side, whose in _SIDES.items()
        for field in SequenceSimilarity._fields
        for about, source in [_ABOUT[field]]
    )

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the texts of each pair; a pair of which a text is not known is left out."""
        pairs = pair_texts(self.entities(inputs.examples), inputs, _wording)
        known = pairs.where("query is not null and candidate is not null")
        return compute_in_batches(known, self.entity.key, [column.name for column in self.columns], _compare)


def _wording(texts: DataFrame) -> DataFrame:
    return texts.selectExpr("text_id", "words", "lower(clean) AS letters")


def _compare(batch: pa.RecordBatch) -> Iterator[Values]:
    asking = [batch.column(side).to_pylist() for side in _SIDES]
    for *asked, said in zip(*asking, batch.column("candidate").to_pylist(), strict=True):
        yield [value for one in asked for value in _similarity(one, said)]


def _similarity(asked: dict[str, Any] | None, said: dict[str, Any]) -> SequenceSimilarity:
    if asked is None:
        return NOTHING
    return compare_sequences(asked["words"], said["words"], asked["letters"], said["letters"])
