"""What authors did and got, in order of time, in memory: the rows that author groups compute from.

A batch holds the events of some authors and the moments at which values are wanted. An author's rows may go on in the
next batch: what a group counts is carried over, so that memory does not grow with an author's history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]


class Kind(IntEnum):
    """What a row of an author is; rows of the same time are in this order."""

    REGISTERED = 1
    """The account; its ``count`` is the time of registration, in microseconds since 1970."""
    REPUTATION = 2
    """The account; its ``count`` is the reputation at the time of the dump."""
    ASKED = 3
    ANSWERED = 4
    CHOSEN = 5
    """An answer that its question names as accepted; the dump does not say when that was."""
    COMMENTED = 6
    UP = 7
    """Up votes received, known from the end of their day on."""
    DOWN = 8
    ACCEPTED = 9
    """An answer of the author's was accepted, known from the end of the day on."""
    BADGE = 10
    MOMENT = 11
    """When an example is looked at: all that happened at that very time is known."""


CONTRIBUTIONS = (Kind.ASKED, Kind.ANSWERED, Kind.COMMENTED, Kind.UP, Kind.DOWN, Kind.ACCEPTED)
"""What counts for or against an author, and has a time and a thread."""

ALWAYS, UNDATED, END = (np.iinfo(np.int64).min, np.iinfo(np.int64).max - 1, np.iinfo(np.int64).max)
"""Times of what was there from the start, of what has no time, and of the moment that knows everything."""


@dataclass(frozen=True)
class AuthorBatch:
    """Rows of authors, in order of author, time and kind.

    Attributes:
        author: by row, an author's number.
        kind: by row, its ``Kind``.
        time: by row, microseconds since 1970.
        count: by row, how many events of the kind it stands for.
        marks: by the name of a group that notes something about events, what it noted by row.
        own: by contribution and moment, how many the author had made in the example's own thread by then.
        before: by name of a total, its state after the former batch, if that ended with this batch's first author.
        after: the same after this batch; ``totals`` fills it in.
    """

    author: Longs
    kind: npt.NDArray[np.int8]
    time: Longs
    count: Longs
    marks: Mapping[str, Longs]
    own: Mapping[Kind, Longs]
    before: Mapping[str, Longs] = field(default_factory=dict)
    after: dict[str, Longs] = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of moments."""
        return len(self.moments)

    @cached_property
    def moments(self) -> Longs:
        """The rows that are moments; values are computed for each."""
        return np.flatnonzero(self.kind == Kind.MOMENT)

    def rows(self, *kinds: Kind) -> Longs:
        """The rows of some kinds, in order."""
        return np.flatnonzero(np.isin(self.kind, kinds))

    def marks_at(self, group: str) -> Longs:
        """What a group noted about the threads of the moments."""
        return self.marks[group][self.moments]

    def elsewhere(self, kind: Kind) -> Longs:
        """By moment, how often the author had made a contribution in other threads."""
        return self.known(kind) - self.own[kind]

    def known(self, kind: Kind) -> Longs:
        """By moment, the sum of the counts of the author's earlier rows of a kind."""
        return self._known[:, Kind(kind) - 1]

    def has(self, kind: Kind) -> npt.NDArray[np.bool_]:
        """By moment, whether the author has an earlier row of a kind."""
        rows = self.rows(kind)
        return self.totals(f"has_{kind.name}", rows, np.ones((len(rows), 1), dtype=np.int64))[:, 0] > 0

    def totals(self, name: str, rows: Longs, adds: Longs) -> Longs:
        """Sums over each moment's author from its first row, also of former batches, up to the moment.

        Args:
            name: identifies the sums from batch to batch.
            rows: the rows that add something, in order.
            adds: what each of them adds, of shape (rows, sums).

        Returns:
            An array of shape (moments, sums).
        """
        found = sums_before(self.moments, self._starts[self.moments], rows, adds)
        if name in self.before:
            found[self._starts[self.moments] == 0] += self.before[name]
        if len(self.author):
            last = self._starts[-1]
            total = adds[np.searchsorted(rows, last) :].sum(axis=0, dtype=np.int64)
            self.after[name] = total + self.before[name] if last == 0 and name in self.before else total
        return found

    @cached_property
    def _known(self) -> Longs:
        rows = np.flatnonzero(self.kind < Kind.MOMENT)
        adds = np.zeros((len(rows), len(Kind) - 1), dtype=np.int64)
        adds[np.arange(len(rows)), self.kind[rows] - 1] = self.count[rows]
        return self.totals("known", rows, adds)

    @cached_property
    def _starts(self) -> Longs:
        """By row, the first row of its author."""
        return starts_of_runs(self.author)


def sums_before(places: Longs, starts: Longs, rows: Longs, adds: Longs) -> Longs:
    """What rows add up to between a start and a place.

    Args:
        places: rows up to which is summed, exclusive.
        starts: by place, the row from which on is summed.
        rows: the rows that add something, in order.
        adds: what each of them adds, of shape (rows, sums).

    Returns:
        An array of shape (places, sums).
    """
    running = np.concatenate([np.zeros((1, adds.shape[1]), dtype=np.int64), np.cumsum(adds, axis=0)])
    summed: Longs = running[np.searchsorted(rows, places)] - running[np.searchsorted(rows, starts)]
    return summed


def starts_of_runs(*keys: Longs) -> Longs:
    """By row, the first row of the run of equal keys that it lies in."""
    rows = np.arange(len(keys[0]))
    changes = np.zeros(len(rows), dtype=np.bool_)
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.maximum.accumulate(np.where(changes, rows, 0))
