"""Greedy string tiling: covers two texts with common runs of words.

Wise 1993, String similarity via greedy string tiling and running Karp-Rabin matching.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple


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
