"""Batches of author events in memory, in order of time: the input of author groups.

A batch holds the events of some authors and the moments at which feature values are computed. An author's rows may
continue in the next batch. Running totals are carried over, so memory does not grow with an author's history.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cqa_spark.features.arrays import Mask

Longs = npt.NDArray[np.int64]


class EventKind(IntEnum):
    """Kind of an author's row; rows with equal times are in this order."""

    REGISTERED = 1
    """The account; ``count`` is the time of registration, in microseconds since 1970."""
    REPUTATION = 2
    """The account; ``count`` is the reputation at the time of the dump."""
    ASKED = 3
    ANSWERED = 4
    CHOSEN = 5
    """An answer that its question names as accepted; the dump has no time for it."""
    COMMENTED = 6
    UP = 7
    """Up votes received; known at the end of their day."""
    DOWN = 8
    ACCEPTED = 9
    """An answer of the author was accepted; known at the end of the day."""
    BADGE = 10
    MOMENT = 11
    """The time at which an example is evaluated; events at the same time are known."""


CONTRIBUTIONS = (
    EventKind.ASKED,
    EventKind.ANSWERED,
    EventKind.COMMENTED,
    EventKind.UP,
    EventKind.DOWN,
    EventKind.ACCEPTED,
)
"""Contributions of an author and reactions to them, each with a time and a thread."""

ALWAYS, UNDATED, END = (np.iinfo(np.int64).min, np.iinfo(np.int64).max - 1, np.iinfo(np.int64).max)
"""Times of rows that are always known, of events without a time, and of moments after the end of the dump."""


@dataclass(frozen=True)
class AuthorBatch:
    """Rows of authors, in order of author, time and kind.

    Attributes:
        author: the author's number, of shape (rows,).
        kind: the ``EventKind``, of shape (rows,).
        time: microseconds since 1970, of shape (rows,).
        count: number of events that the row represents, of shape (rows,).
        marks: for each group with a ``mark`` method, the marks of the events, of shape (rows,).
        own: contributions that the author had made in the example's own thread, by kind and moment.
        before: totals after the previous batch, by name, if that batch ended with this batch's first author.
        after: totals after this batch, by name; ``totals`` fills it.
    """

    author: Longs
    kind: npt.NDArray[np.int8]
    time: Longs
    count: Longs
    marks: Mapping[str, Longs]
    own: Mapping[EventKind, Longs]
    before: Mapping[str, Longs] = field(default_factory=dict)
    after: dict[str, Longs] = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of moments."""
        return len(self.moments)

    @cached_property
    def moments(self) -> Longs:
        """Indices of the moments; each gets feature values."""
        return np.flatnonzero(self.kind == EventKind.MOMENT)

    def rows(self, *kinds: EventKind) -> Longs:
        """Indices of the rows of the given kinds, in order."""
        is_wanted = np.zeros(len(EventKind) + 1, dtype=np.bool_)
        is_wanted[list(kinds)] = True
        return np.flatnonzero(is_wanted[self.kind])

    def marks_at(self, group: str) -> Longs:
        """A group's marks for the threads of the moments."""
        return self.marks[group][self.moments]

    def elsewhere(self, kind: EventKind) -> Longs:
        """Contributions of a kind in other threads, for each moment."""
        return self.known(kind) - self.own[kind]

    def known(self, kind: EventKind) -> Longs:
        """Sum of the counts of the author's earlier rows of a kind, for each moment."""
        return self._known[:, EventKind(kind) - 1]

    def has(self, kind: EventKind) -> Mask:
        """Whether the author has an earlier row of a kind, for each moment."""
        rows = self.rows(kind)
        return self.totals(f"has_{kind.name}", rows, np.ones((len(rows), 1), dtype=np.int64))[:, 0] > 0

    def totals(self, name: str, rows: Longs, adds: Longs) -> Longs:
        """Running sums for each moment, from the first row of its author, including previous batches.

        Args:
            name: identifies the sums across batches.
            rows: indices of the rows to sum, in order.
            adds: the summands of these rows, of shape (rows, sums).

        Returns:
            An array of shape (moments, sums).
        """
        sums = sums_before(self.moments, self._starts[self.moments], rows, adds)
        if name in self.before:
            # The batch's first author has earlier rows: the sums of that author's moments start from theirs.
            sums[self._starts[self.moments] == 0] += self.before[name]
        if len(self.author):
            # The totals of the last author go on in the next batch; if it is also the first, with the earlier ones.
            last = self._starts[-1]
            total = adds[np.searchsorted(rows, last) :].sum(axis=0, dtype=np.int64)
            self.after[name] = total + self.before[name] if last == 0 and name in self.before else total
        return sums

    @cached_property
    def _known(self) -> Longs:
        """Sums of the counts of earlier rows, of shape (moments, kinds): kind k is in column k - 1."""
        rows = np.flatnonzero(self.kind < EventKind.MOMENT)
        adds = np.zeros((len(rows), len(EventKind) - 1), dtype=np.int64)
        adds[np.arange(len(rows)), self.kind[rows] - 1] = self.count[rows]
        return self.totals("known", rows, adds)

    @cached_property
    def _starts(self) -> Longs:
        """Index of the first row of the author, for each row."""
        return starts_of_runs(self.author)


def sums_before(ends: Longs, starts: Longs, rows: Longs, adds: Longs) -> Longs:
    """Sums of rows between starts and ends.

    Args:
        ends: indices of the ends, exclusive.
        starts: index of the start for each end.
        rows: indices of the rows to sum, in order.
        adds: the summands of these rows, of shape (rows, sums).

    Returns:
        An array of shape (ends, sums).
    """
    # running[n] is the sum of the first n rows, so a sum between two rows is a difference.
    running = np.concatenate([np.zeros((1, adds.shape[1]), dtype=np.int64), np.cumsum(adds, axis=0)])
    sums: Longs = running[np.searchsorted(rows, ends)] - running[np.searchsorted(rows, starts)]
    return sums


def starts_of_runs(*keys: Longs) -> Longs:
    """For each row, the index at which its run of equal keys starts."""
    rows = np.arange(len(keys[0]))
    changes = np.zeros(len(rows), dtype=np.bool_)
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.maximum.accumulate(np.where(changes, rows, 0))
