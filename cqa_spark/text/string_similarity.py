"""Similarity of two texts as sequences of words and of characters, and their greedy tiling.

Source:
    Wise 1993, String similarity via greedy string tiling and running Karp-Rabin matching.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel, JaroWinkler, LCSseq, Levenshtein
from rapidfuzz.process import cdist

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Tile(NamedTuple):
    """A common run of words.

    Attributes:
        one: start in the first text, from 0.
        other: start in the second text, from 0.
        length: number of words.
    """

    one: int
    other: int
    length: int


def tiles(one: Sequence[str], other: Sequence[str], least: int = 1) -> list[Tile]:
    """Cover two texts with common runs, longest first, so that no word is covered twice.

    The tiles of n words have at most O(√n) different lengths, because no word is covered twice, and all tiles of a
    length are laid at once; this takes O(n √n log n) time and O(n log n) memory.

    Args:
        one: words of a text, in order.
        other: words of the other text, in order.
        least: minimum length of a tile, in words.

    Returns:
        The tiles, longest first, then by start in ``one``, then in ``other``.
    """
    shortest, other_shortest = (zip(*(words[start:] for start in range(least)), strict=False) for words in (one, other))
    if set(shortest).isdisjoint(other_shortest):  # as most pairs of short texts are
        return []
    runs = _FreeRuns(one, other)
    laid: list[Tile] = []
    longest = runs.longest_common(least)
    while longest >= least:
        laid += runs.lay(longest)
        longest = runs.longest_common(least, longest)
    return laid


class _FreeRuns:
    """The runs of words of two texts that no tile covers.

    Equal runs of a length get the same number: runs of 2^(k + 1) words by the numbers of their halves, and those of a
    length in between by the runs of 2^k words at both ends, which overlap (Karp, Miller and Rosenberg 1972, Rapid
    identification of repeated patterns in strings, trees and arrays).
    """

    def __init__(self, one: Sequence[str], other: Sequence[str]) -> None:
        numbers: dict[str, int] = {}
        words = [[numbers.setdefault(word, len(numbers)) for word in text] for text in (one, other)]
        self._numbers_by_power = [words]
        self._is_free = [bytearray(b"\1" * len(text)) for text in words]
        self._free_words = [list(range(len(text), 0, -1)) for text in words]
        """Of both texts, by word: how many words are free from there on."""

    def longest_common(self, least: int, uncommon: int | None = None) -> int:
        """The length of the longest common free run; 0 if it is less than ``least``.

        Args:
            least: minimum length.
            uncommon: a length that no common free run has, if one is known.
        """
        if not self.have_common(least):
            return 0
        if uncommon is None:
            uncommon = 2 * least
            while self.have_common(uncommon):
                uncommon *= 2
        # A common run has runs of all smaller lengths.
        lengths = range(least, uncommon)
        return lengths[bisect_left(lengths, True, key=lambda length: not self.have_common(length)) - 1]

    def have_common(self, length: int) -> bool:
        """Whether the texts have a common free run of a length."""
        one, other = self._of(length)
        return not {run for _, run in one}.isdisjoint(run for _, run in other)

    def lay(self, length: int) -> list[Tile]:
        """Cover the common free runs of a length, if there is none that is longer."""
        one, other = self._of(length)
        starts: dict[tuple[int, int], list[int]] = {}
        for other_start, run in reversed(list(other)):
            starts.setdefault(run, []).append(other_start)
        laid = []
        for start, run in one:
            waiting = starts.get(run, [])
            while waiting and not self._is_still_free(1, waiting[-1], length):
                waiting.pop()
            if waiting and self._is_still_free(0, start, length):
                laid.append(Tile(start, waiting.pop(), length))
                for is_free, covered in zip(self._is_free, laid[-1], strict=False):
                    is_free[covered : covered + length] = bytes(length)
        for is_free, free_words in zip(self._is_free, self._free_words, strict=True):
            free = 0
            for word in reversed(range(len(is_free))):
                free = free_words[word] = free + 1 if is_free[word] else 0
        return laid

    def _is_still_free(self, text: int, start: int, length: int) -> bool:
        """Whether no tile of the same length covers a run; such a tile covers its first or its last word."""
        return bool(self._is_free[text][start] and self._is_free[text][start + length - 1])

    def _of(self, length: int) -> list[Iterator[tuple[int, tuple[int, int]]]]:
        """The starts and numbers of the free runs of a length, of both texts."""
        power = length.bit_length() - 1
        while len(self._numbers_by_power) <= power:
            half = 2 ** (len(self._numbers_by_power) - 1)
            numbers: dict[tuple[int, int], int] = {}
            self._numbers_by_power.append([
                [numbers.setdefault(halves, len(numbers)) for halves in zip(runs, runs[half:], strict=False)]
                for runs in self._numbers_by_power[-1]
            ])  # fmt: skip
        overlap = length - 2**power
        return [
            (
                (start, run)
                for start, (run, free) in enumerate(
                    zip(zip(runs, runs[overlap:], strict=False), free_words, strict=False)
                )
                if free >= length
            )
            for runs, free_words in zip(self._numbers_by_power[power], self._free_words, strict=True)
        ]


LEAST_RUN = 2
"""Minimum length of a tile in greedy string tiling; single words are covered by set overlap."""

MOST_WORDS = 16_384
MOST_CHARACTERS = 32_768
"""Longer texts are compared by their start: the time of several similarities is quadratic. Stack Exchange allows 30,000
characters."""

SHORT = 1_024
"""Characters up to which searching each substring is the fastest."""


def compare_sequences(one: Sequence[str], other: Sequence[str], letters: str, other_letters: str) -> dict[str, float]:
    """The similarities of two texts by name, each from 0 (nothing in common) to 1 (the same).

    Args:
        one: words of a text, in order.
        other: words of the other text, in order.
        letters: the whole text.
        other_letters: the whole other text.

    Returns:
        The similarities; none if a text has no words.
    """
    one, other = one[:MOST_WORDS], other[:MOST_WORDS]
    letters, other_letters = letters[:MOST_CHARACTERS], other_letters[:MOST_CHARACTERS]
    if not one or not other:
        return {}
    laid = tiles(one, other, LEAST_RUN)
    covered = sum(tile.length for tile in laid)
    longest_run = laid[0].length if laid else int(not set(one).isdisjoint(other))
    in_order, other_in_order = (" ".join(sorted(words))[:MOST_CHARACTERS] for words in (one, other))
    return {
        "tiled": 2 * covered / (len(one) + len(other)),
        "longest_run": longest_run / min(len(one), len(other)),
        "word_sequence": LCSseq.normalized_similarity(one, other),
        "char_sequence": LCSseq.normalized_similarity(letters, other_letters),
        "substring": longest_common_substring(letters, other_letters) / max(1, min(len(letters), len(other_letters))),
        "levenshtein": Levenshtein.normalized_similarity(letters, other_letters),
        "jaro_winkler": JaroWinkler.similarity(letters, other_letters),
        "sorted_words": Indel.normalized_similarity(in_order, other_in_order),
    }


def longest_common_substring(one: str, other: str) -> int:
    """Length of the longest common substring.

    For each position of a short text, searches the longer text for a substring longer than the best so far. Each search
    runs in C, which is many times faster than other algorithms in Python, until texts are long.
    """
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) > SHORT:
        return _FreeRuns(shorter, longer).longest_common(1)
    longest = start = 0
    while start + longest < len(shorter):
        if shorter[start : start + longest + 1] in longer:
            longest += 1
        else:
            start += 1
    return longest


# Similarity of texts by the spelling of their words.

_SCALE, _POWER = 1.8, 5
_LEAST_ALIKE = 0.5
"""Words that are less alike are unrelated: the relation would be below 0.06. It keeps the matrix sparse; ours."""
_ROWS = 512
"""Words that are compared with all others at a time; bounds the memory."""


def spelling_relation(words: Sequence[str]) -> csr_matrix:
    """How words are related by their spelling: 1 for the same word, 1.8 times the fifth power of likeness for others.

    Args:
        words: distinct words, n of them.

    Returns:
        A sparse matrix of shape (n, n). The likeness is 1 - edits / characters of the longer word.

    Source:
        Charlet and Damnati 2017, SimBow at SemEval-2017 Task 3, the relation by Levenshtein's distance.
    """
    from scipy.sparse import csr_matrix, vstack

    rows = [csr_matrix((0, len(words)))]
    for start in range(0, len(words), _ROWS):
        some, likeness = words[start : start + _ROWS], Levenshtein.normalized_similarity
        alike = cdist(some, words, scorer=likeness, score_cutoff=_LEAST_ALIKE, dtype=np.float64)
        rows.append(csr_matrix(np.where(alike == 1.0, 1.0, _SCALE * alike**_POWER)))
    return vstack(rows, format="csr")


def soft_cosines(
    texts: csr_matrix, relation: csr_matrix, some: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The soft cosine of each pair of texts, in which related words are not orthogonal; 0 if a text has no words.

    Args:
        texts: weights of words, of shape (texts, words).
        relation: symmetric relation of the words, of shape (words, words).
        some: row of a text of each pair.
        others: row of the other text of each pair.

    Source:
        Sidorov et al. 2014, Soft similarity and soft cosine measure: Similarity of features in vector space model.
    """
    related = texts @ relation
    related.sort_indices()  # so that the order of sums does not depend on the words of other texts
    squares = _row_sums(related.multiply(texts))
    lengths = np.sqrt(np.maximum(0.0, squares[some] * squares[others]))
    products = _row_sums(related[some].multiply(texts[others]))
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)


def _row_sums(matrix: csr_matrix) -> NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
