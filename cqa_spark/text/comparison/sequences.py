"""Similarity of two texts as sequences of words and of characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel, JaroWinkler, LCSseq, Levenshtein

from cqa_spark.text.comparison.tiling import tiles

LEAST_RUN = 2
"""Minimum length of a tile in greedy string tiling; single words are covered by set overlap."""


class SequenceSimilarity(NamedTuple):
    """Similarities of two texts, each from 0 (nothing in common) to 1 (the same).

    Attributes:
        tiled: words in common runs / words of both texts.
        longest_run: words of the longest common run / words of the shorter text.
        word_sequence: longest common subsequence of words / words of the longer text.
        char_sequence: longest common subsequence of characters / characters of the longer text.
        substring: longest common substring / characters of the shorter text.
        levenshtein: 1 - insertions, deletions and replacements of characters / characters of the longer text.
        jaro_winkler: Jaro-Winkler similarity of the characters.
        sorted_words: 1 - (insertions + deletions) / characters of both texts, after sorting the words.
    """

    tiled: float
    longest_run: float
    word_sequence: float
    char_sequence: float
    substring: float
    levenshtein: float
    jaro_winkler: float
    sorted_words: float


NOTHING = SequenceSimilarity(*[0.0] * len(SequenceSimilarity._fields))


def compare_sequences(one: Sequence[str], other: Sequence[str], letters: str, other_letters: str) -> SequenceSimilarity:
    """Compare two texts; all similarities are 0 if a text has no words.

    Args:
        one: words of a text, in order.
        other: words of the other text, in order.
        letters: the whole text.
        other_letters: the whole other text.
    """
    if not one or not other:
        return NOTHING
    laid = tiles(one, other, LEAST_RUN)
    covered = sum(tile.length for tile in laid)
    longest_run = laid[0].length if laid else int(not set(one).isdisjoint(other))
    return SequenceSimilarity(
        tiled=2 * covered / (len(one) + len(other)),
        longest_run=longest_run / min(len(one), len(other)),
        word_sequence=LCSseq.normalized_similarity(one, other),
        char_sequence=LCSseq.normalized_similarity(letters, other_letters),
        substring=longest_common_substring(letters, other_letters) / max(1, min(len(letters), len(other_letters))),
        levenshtein=Levenshtein.normalized_similarity(letters, other_letters),
        jaro_winkler=JaroWinkler.similarity(letters, other_letters),
        sorted_words=Indel.normalized_similarity(" ".join(sorted(one)), " ".join(sorted(other))),
    )


def longest_common_substring(one: str, other: str) -> int:
    """Length of the longest common substring.

    For each position of the shorter text, searches the longer text for a substring longer than the best so far. Each
    search runs in C, which is many times faster than dynamic programming in Python.
    """
    shorter, longer = sorted((one, other), key=len)
    longest = start = 0
    while start + longest < len(shorter):
        if shorter[start : start + longest + 1] in longer:
            longest += 1
        else:
            start += 1
    return longest
