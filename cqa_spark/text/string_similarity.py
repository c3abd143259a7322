"""Similarity of two texts as strings: common sequences of words and characters, greedy tiling, and spelling.

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

LEAST_RUN = 2
"""Minimum length of a tile in greedy string tiling; single words are covered by set overlap."""

MOST_WORDS = 16_384
MOST_CHARACTERS = 32_768
"""Longer texts are compared by their start: the time of several similarities is quadratic. Stack Exchange allows 30,000
characters."""

SHORT = 1_024
"""Characters up to which searching each substring is the fastest."""

_SCALE, _POWER = 1.8, 5
_LEAST_ALIKE = 0.5
"""Words that are less alike are unrelated: the relation would be below 0.06. It keeps the matrix sparse; ours."""
_ROWS = 512
"""Words that are compared with all others at a time; bounds the memory."""


def compare_sequences(
    first: Sequence[str], second: Sequence[str], first_letters: str, second_letters: str
) -> dict[str, float]:
    """The similarities of two texts by name, each from 0 (nothing in common) to 1 (the same).

    Args:
        first: words of the first text, in order.
        second: words of the second text, in order.
        first_letters: the whole first text.
        second_letters: the whole second text.

    Returns:
        The similarities; none if a text has no words.
    """
    first, second = first[:MOST_WORDS], second[:MOST_WORDS]
    first_letters, second_letters = first_letters[:MOST_CHARACTERS], second_letters[:MOST_CHARACTERS]
    if not first or not second:
        return {}
    laid = tiles(first, second, LEAST_RUN)
    covered = sum(tile.length for tile in laid)
    longest_run = laid[0].length if laid else int(not set(first).isdisjoint(second))
    first_sorted, second_sorted = (" ".join(sorted(words))[:MOST_CHARACTERS] for words in (first, second))
    shorter_letters = max(1, min(len(first_letters), len(second_letters)))
    return {
        "tiled": 2 * covered / (len(first) + len(second)),
        "longest_run": longest_run / min(len(first), len(second)),
        "word_sequence": LCSseq.normalized_similarity(first, second),
        "char_sequence": LCSseq.normalized_similarity(first_letters, second_letters),
        "substring": longest_common_substring(first_letters, second_letters) / shorter_letters,
        "levenshtein": Levenshtein.normalized_similarity(first_letters, second_letters),
        "jaro_winkler": JaroWinkler.similarity(first_letters, second_letters),
        "sorted_words": Indel.normalized_similarity(first_sorted, second_sorted),
    }


def longest_common_substring(first: str, second: str) -> int:
    """Length of the longest common substring.

    For each position of a short text, searches the longer text for a substring longer than the best so far. Each search
    runs in C, which is many times faster than other algorithms in Python, until texts are long.
    """
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) > SHORT:
        return _FreeRuns(shorter, longer).longest_common(1)
    longest = start = 0
    while start + longest < len(shorter):
        if shorter[start : start + longest + 1] in longer:
            longest += 1
        else:
            start += 1
    return longest


class Tile(NamedTuple):
    """A common run of words.

    Attributes:
        first: start in the first text, from 0.
        second: start in the second text, from 0.
        length: number of words.
    """

    first: int
    second: int
    length: int


def tiles(first: Sequence[str], second: Sequence[str], least: int = 1) -> list[Tile]:
    """Cover two texts with common runs, longest first, so that no word is covered twice.

    The tiles of n words have at most O(√n) different lengths, because no word is covered twice, and all tiles of a
    length are laid at once; this takes O(n √n log n) time and O(n log n) memory.

    Args:
        first: words of the first text, in order.
        second: words of the second text, in order.
        least: minimum length of a tile, in words.

    Returns:
        The tiles, longest first, then by start in the first text, then in the second.
    """
    # Most pairs of short texts have no run of the minimum length in common.
    first_runs, second_runs = (zip(*(words[at:] for at in range(least)), strict=False) for words in (first, second))
    if set(first_runs).isdisjoint(second_runs):
        return []
    runs = _FreeRuns(first, second)
    laid: list[Tile] = []
    longest = runs.longest_common(least)
    while longest >= least:
        laid += runs.lay(longest)
        longest = runs.longest_common(least, longest)
    return laid


class _FreeRuns:
    """The runs of words of two texts that no tile covers.

    Equal runs of a length get the same number: a run of 2^(k + 1) words by the numbers of its halves, and a run of a
    length in between by the numbers of the runs of 2^k words at both ends, which overlap (Karp, Miller and Rosenberg
    1972, Rapid identification of repeated patterns in strings, trees and arrays).

    Attributes, each with an item for the first and one for the second text:
        _numbers_by_power: by k, the number of the run of 2^k words from each word on.
        _is_free: whether no tile covers a word.
        _free_words: number of uncovered words from each word on, up to the next tile.
    """

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        numbers: dict[str, int] = {}
        words = [[numbers.setdefault(word, len(numbers)) for word in text] for text in (first, second)]
        self._numbers_by_power = [words]
        self._is_free = [bytearray(b"\1" * len(text)) for text in words]
        self._free_words = [list(range(len(text), 0, -1)) for text in words]

    def longest_common(self, least: int, uncommon: int | None = None) -> int:
        """The length of the longest common free run; 0 if it is less than ``least``.

        Args:
            least: minimum length.
            uncommon: a length that no common free run has, if one is known.
        """
        if not self._have_common(least):
            return 0
        if uncommon is None:
            uncommon = 2 * least
            while self._have_common(uncommon):
                uncommon *= 2
        # A binary search, because a common run has runs of all smaller lengths.
        lengths = range(least, uncommon)
        return lengths[bisect_left(lengths, True, key=lambda length: not self._have_common(length)) - 1]

    def _have_common(self, length: int) -> bool:
        """Whether the texts have a common free run of a length."""
        runs = {run for _, run in self._runs(0, length)}
        return not runs.isdisjoint(run for _, run in self._runs(1, length))

    def lay(self, length: int) -> list[Tile]:
        """Cover the common free runs of a length, if no common free run is longer."""
        # The starts of each run in the second text; the last item is the earliest start that is left.
        starts: dict[tuple[int, int], list[int]] = {}
        for second_start, run in reversed(list(self._runs(1, length))):
            starts.setdefault(run, []).append(second_start)
        laid = []
        for first_start, run in self._runs(0, length):
            waiting = starts.get(run, [])
            while waiting and not self._is_still_free(1, waiting[-1], length):
                waiting.pop()
            if waiting and self._is_still_free(0, first_start, length):
                tile = Tile(first_start, waiting.pop(), length)
                laid.append(tile)
                self._is_free[0][tile.first : tile.first + length] = bytes(length)
                self._is_free[1][tile.second : tile.second + length] = bytes(length)
        for is_free, free_words in zip(self._is_free, self._free_words, strict=True):
            free = 0
            for word in reversed(range(len(is_free))):
                free = free + 1 if is_free[word] else 0
                free_words[word] = free
        return laid

    def _is_still_free(self, text: int, start: int, length: int) -> bool:
        """Whether no tile of the same length covers a run; such a tile covers its first or its last word."""
        return bool(self._is_free[text][start] and self._is_free[text][start + length - 1])

    def _runs(self, text: int, length: int) -> Iterator[tuple[int, tuple[int, int]]]:
        """The starts and numbers of the free runs of a length in a text, while no further tile is recorded."""
        power = length.bit_length() - 1
        while len(self._numbers_by_power) <= power:
            half = 2 ** (len(self._numbers_by_power) - 1)
            numbers: dict[tuple[int, int], int] = {}
            doubled = []
            for runs in self._numbers_by_power[-1]:
                doubled.append(
                    [numbers.setdefault(pair, len(numbers)) for pair in zip(runs, runs[half:], strict=False)]
                )
            self._numbers_by_power.append(doubled)
        runs, free_words = self._numbers_by_power[power][text], self._free_words[text]
        # Two runs of 2^power words, from the start and to the end, are the run of the length.
        for start, run in enumerate(zip(runs, runs[length - 2**power :], strict=False)):
            if free_words[start] >= length:
                yield start, run


def spelling_relation(words: Sequence[str]) -> csr_matrix:
    """Relate words by their spelling: 1 for the same word, 1.8 times the fifth power of likeness for other words.

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
        likeness = cdist(
            words[start : start + _ROWS],
            words,
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=_LEAST_ALIKE,  # 0 below it
            dtype=np.float64,
        )
        rows.append(csr_matrix(np.where(likeness == 1.0, 1.0, _SCALE * likeness**_POWER)))
    return vstack(rows, format="csr")


def soft_cosines(
    texts: csr_matrix, relation: csr_matrix, first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The soft cosine of each pair of texts, in which related words are not orthogonal; 0 if a text has no words.

    Args:
        texts: weights of words, of shape (texts, words).
        relation: symmetric relation of the words, of shape (words, words).
        first: row of the first text of each pair.
        second: row of the second text of each pair.

    Source:
        Sidorov et al. 2014, Soft similarity and soft cosine measure: Similarity of features in vector space model.
    """
    related = texts @ relation  # weights of the words to which a text's words are related
    related.sort_indices()  # so that the order of sums does not depend on the words of other texts
    squares = _row_sums(related.multiply(texts))
    lengths = np.sqrt(np.maximum(0.0, squares[first] * squares[second]))
    products = _row_sums(related[first].multiply(texts[second]))
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)


def _row_sums(matrix: csr_matrix) -> NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
