"""The main measure by query: the differences from the baseline, and the best and worst queries."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from cqa_spark.reports.query_table.content import MeasuredQuery

QUERY = ("site", "query_id")
"""Key of a query."""

RESOLUTION = 1000
"""Differences are rounded to multiples of 1 / RESOLUTION, which bounds their number."""


@dataclass(frozen=True)
class MeasuredQueries:
    """The main measure by query; all lists have a bounded length.

    Attributes:
        steps: difference from the baseline, a fraction, and number of queries; largest difference first.
        best: queries with the highest value.
        worst: queries with the lowest value.
    """

    steps: tuple[tuple[float, int], ...]
    best: tuple[MeasuredQuery, ...]
    worst: tuple[MeasuredQuery, ...]


@dataclass
class QuerySummary:
    """Summarises queries one by one, in any order, because they may exceed the driver's memory.

    Ties of the best queries are ordered by the lowest baseline, ties of the worst ones by the highest baseline. Queries
    without a relevant candidate are excluded from both, because every ranking of them is equally good.

    Attributes:
        each: number of best and of worst queries.
    """

    each: int
    _steps: Counter[int] = field(default_factory=Counter, init=False)
    _best: list[MeasuredQuery] = field(default_factory=list, init=False)
    _worst: list[MeasuredQuery] = field(default_factory=list, init=False)

    def of(self, queries: Iterable[MeasuredQuery]) -> Iterator[MeasuredQuery]:
        """The queries, each added to the summary as it passes."""
        for query in queries:
            self._add(query)
            yield query

    def result(self) -> MeasuredQueries:
        """The summary of all queries so far."""
        steps = ((step / RESOLUTION, self._steps[step]) for step in sorted(self._steps, reverse=True))
        return MeasuredQueries(tuple(steps), tuple(self._best), tuple(self._worst))

    def _add(self, query: MeasuredQuery) -> None:
        if query.difference is not None:
            self._steps[_rounded(query.difference * RESOLUTION)] += 1
        if query.value is not None and query.relevant:
            self._keep(self._best, query, _best_first)
            self._keep(self._worst, query, _worst_first)

    def _keep(self, first: list[MeasuredQuery], query: MeasuredQuery, order: Callable[[MeasuredQuery], Any]) -> None:
        insort(first, query, key=order)
        del first[self.each :]


def _best_first(query: MeasuredQuery) -> tuple[object, ...]:
    return -(query.value or 0.0), query.baseline is not None, query.baseline or 0.0, query.site, query.query_id


def _worst_first(query: MeasuredQuery) -> tuple[object, ...]:
    return query.value, query.baseline is None, -(query.baseline or 0.0), query.site, query.query_id


def _rounded(number: float) -> int:
    return int(Decimal(repr(number)).quantize(Decimal(1), ROUND_HALF_UP))
