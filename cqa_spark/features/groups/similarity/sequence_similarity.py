"""Overlap of the wording of candidate and query in the same order."""

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.similarity.overlap import SIDES
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.text.string_similarity import compare_sequences

_QUERY_SIDES = {"query": "the query", "subject": "the query's subject"}

_TILING = "Wise 1993, String similarity via greedy string tiling; Nicosia et al. 2015"
_SUBSEQUENCE = "Allison and Dix 1986, A bit-string longest-common-subsequence algorithm; Nicosia et al. 2015"
_SUBSTRING = "Gusfield 1997, Algorithms on strings, trees and sequences; Nicosia et al. 2015"

_ABOUT = {
    "tiled": ("words in common runs of two or more / words of both", _TILING),
    "longest_run": ("words of the longest common run / words of the shorter text", _TILING),
    "word_sequence": ("longest common subsequence of words / words of the longer text", _SUBSEQUENCE),
    "char_sequence": ("longest common subsequence of characters / characters of the longer text", _SUBSEQUENCE),
    "substring": ("longest common substring / characters of the shorter text", _SUBSTRING),
    "levenshtein": (
        "1 - edits / characters of the longer text",
        "Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals",
    ),
    "jaro_winkler": (
        "Jaro-Winkler similarity of the characters",
        "Winkler 1990, String comparator metrics and enhanced decision rules",
    ),
    "sorted_words": (
        "1 - (insertions + deletions) / characters of both, after sorting the words",
        "Cohen et al. 2003, A comparison of string distance metrics for name-matching tasks",
    ),
}
"""Each similarity of ``compare_sequences``: meaning and source."""


class SequenceSimilarityV1(QueryGroup):
    """Common runs, common subsequences and edits, of words and of characters in lower case."""

    name = "sequence_similarity_v1"
    family = "similarity"
    about = "overlap of the candidate's and the query's wording in the same order"
    entity = Entity.PAIR
    columns = tuple(
        FeatureColumn(f"{side}_{field}", f"{whose} and the candidate: {about}", source)
        for side, whose in _QUERY_SIDES.items()
        for field, (about, source) in _ABOUT.items()
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing, 0 if only the subject is."""
        words, letters, candidates = batch.texts.words, batch.texts.derive(_letters), batch.candidate_text
        known = (batch.query_text != ABSENT) & (candidates != ABSENT)
        values = {column.name: np.where(known, 0.0, np.nan) for column in self.columns}
        for side in _QUERY_SIDES:
            queries = SIDES[side](batch)
            for pair in np.flatnonzero(known & (queries != ABSENT)).tolist():
                query, candidate = queries[pair], candidates[pair]
                similarities = compare_sequences(words[query], words[candidate], letters[query], letters[candidate])
                for field, similarity in similarities.items():
                    values[f"{side}_{field}"][pair] = similarity
        return values


def _letters(texts: Texts) -> list[str]:
    return [text.lower() for text in texts.clean]
