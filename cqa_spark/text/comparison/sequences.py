"""Similarity of two texts as sequences of words and of characters, and their greedy tiling.

Source:
    Wise 1993, String similarity via greedy string tiling and running Karp-Rabin matching.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from rapidfuzz.distance import Indel, JaroWinkler, LCSseq, Levenshtein


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

    Args:
        one: words of a text, in order.
        other: words of the other text, in order.
        least: minimum length of a tile, in words.

    Returns:
        The tiles, longest first, then by start in ``one``, then in ``other``.
    """
    free_one, free_other = [True] * len(one), [True] * len(other)
    # Covering words only shortens runs, so the longest free run in the heap is the longest of all.
    waiting = [(-run.length, run.one, run.other) for run in _runs(one, other) if run.length >= least]
    heapify(waiting)
    laid = []
    while waiting:
        negative, start, other_start = heappop(waiting)
        run = Tile(start, other_start, -negative)
        pieces = list(_free_pieces(run, free_one, free_other))
        if pieces == [run]:
            laid.append(run)
            free_one[start : start + run.length] = [False] * run.length
            free_other[other_start : other_start + run.length] = [False] * run.length
        else:
            for piece in pieces:
                if piece.length >= least:
                    heappush(waiting, (-piece.length, piece.one, piece.other))
    return laid


def _runs(one: Sequence[str], other: Sequence[str]) -> Iterator[Tile]:
    """All maximal common runs."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(other):
        positions.setdefault(word, []).append(position)
    for start, word in enumerate(one):
        for other_start in positions.get(word, ()):
            if start and other_start and one[start - 1] == other[other_start - 1]:
                continue
            most = min(len(one) - start, len(other) - other_start)
            length = 1
            while length < most and one[start + length] == other[other_start + length]:
                length += 1
            yield Tile(start, other_start, length)


def _free_pieces(run: Tile, free_one: Sequence[bool], free_other: Sequence[bool]) -> Iterator[Tile]:
    """The pieces of a run without words that are already covered in either text."""
    begin: int | None = None
    for step in range(run.length + 1):
        free = step < run.length and free_one[run.one + step] and free_other[run.other + step]
        if free and begin is None:
            begin = step
        if not free and begin is not None:
            yield Tile(run.one + begin, run.other + begin, step - begin)
            begin = None


LEAST_RUN = 2
"""Minimum length of a tile in greedy string tiling; single words are covered by set overlap."""


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
    if not one or not other:
        return {}
    laid = tiles(one, other, LEAST_RUN)
    covered = sum(tile.length for tile in laid)
    longest_run = laid[0].length if laid else int(not set(one).isdisjoint(other))
    return {
        "tiled": 2 * covered / (len(one) + len(other)),
        "longest_run": longest_run / min(len(one), len(other)),
        "word_sequence": LCSseq.normalized_similarity(one, other),
        "char_sequence": LCSseq.normalized_similarity(letters, other_letters),
        "substring": longest_common_substring(letters, other_letters) / max(1, min(len(letters), len(other_letters))),
        "levenshtein": Levenshtein.normalized_similarity(letters, other_letters),
        "jaro_winkler": JaroWinkler.similarity(letters, other_letters),
        "sorted_words": Indel.normalized_similarity(" ".join(sorted(one)), " ".join(sorted(other))),
    }


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
