"""Computes the measures of queries with the same pattern of candidates once.

Most measures depend only on the ranks of the relevant candidates. Ten candidates, one of them relevant, have ten such
patterns, and a million queries about a thousand.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery

CANDIDATE = np.dtype(
    {
        "names": ["ranked", "relevant", "gain", "predicted", "score", "judged"],
        "formats": ["?", "?", "f8", "?", "f8", "?"],
    }
)
"""The properties of a candidate that a measure uses."""

Pattern = bytes
"""The candidates of a query in the order of their ranks, those that are not ranked last: records of ``CANDIDATE``."""

_MOST = 100_000

_QUERIES = 50_000
"""Number of queries whose candidates are copied at once."""


class Measured(NamedTuple):
    """The measures of a query: the value and the components of each."""

    values: tuple[float, ...]
    components: tuple[tuple[float, ...], ...]


class MeasuredPatterns:
    """Computes measures, and caches them by pattern.

    Args:
        measures: measures to compute.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._measures = measures
        self._known: dict[bytes, Measured] = {}

    def components(self, pattern: Pattern) -> Measured:
        """The measures of a query with this pattern."""
        found = self._known.get(pattern)
        if found is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            query = ranked_query(pattern)
            found = measured(self._measures, [measure.components(query) for measure in self._measures])
            self._known[pattern] = found
        return found


def patterns(candidates: NDArray[np.void], sizes: NDArray[np.int64], *, keep_scores: bool) -> Iterator[Pattern]:
    """The pattern of each query.

    Args:
        candidates: the candidates of all queries, of type ``CANDIDATE``.
        sizes: number of candidates of each query.
        keep_scores: whether to keep scores, without which more queries have the same pattern.
    """
    bounds = np.append(0, np.cumsum(sizes))
    for first in range(0, len(sizes), _QUERIES):
        ends = bounds[first : first + _QUERIES + 1]
        piece = candidates[ends[0] : ends[-1]].copy()
        if not keep_scores:
            piece["score"] = 0.0
        records, places = piece.tobytes(), ((ends - ends[0]) * CANDIDATE.itemsize).tolist()
        yield from map(records.__getitem__, map(slice, places[:-1], places[1:]))


def measured(measures: Sequence[Measure], components: Sequence[tuple[float, ...]]) -> Measured:
    """Components, and the corresponding values for a single query."""
    values = [measure.aggregate(own, 1) for measure, own in zip(measures, components, strict=True)]
    return Measured(tuple(values), tuple(components))


def ranked_query(pattern: Pattern) -> RankedQuery:
    """The query with this pattern."""
    records = np.frombuffer(pattern, CANDIDATE)
    candidates = [Candidate(*row) for row in records[list(Candidate._fields)].tolist()]
    ranked = int(records["ranked"].sum())
    return RankedQuery(candidates[:ranked], candidates[ranked:])
