"""The measures of a judged ranking, with standard errors, and their components by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, permutations, repeat
from math import factorial, fsum
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.evaluation.measure import Candidate, Measure, RankedQuery
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.bootstrap import SEED, bootstrap_intervals, in_groups
from cqa_spark.evaluation.statistics.clusters import topic_numbers

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


# Computes the measures of queries with the same pattern of candidates once.
#
# Most measures depend only on the ranks of the relevant candidates. Ten candidates, one of them relevant, have ten
# such patterns, and a million queries about a thousand.

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


# Expected measures of a random order.

DRAWS = 500
"""Maximum number of orders; the mean of a measure over several hundred queries then varies by 0.1 points."""


def expected_components(measures: Sequence[Measure], query: RankedQuery, seed: str) -> list[tuple[float, ...]]:
    """The mean of each measure's components over the orders of the candidates; exact if there are few orders.

    Orders that differ only by equal candidates have the same components, which are computed once.

    Args:
        measures: the measures; all use the same orders.
        query: the query, whose ranked candidates are permuted; a random order has no scores.
        seed: seed of the sampled orders; the query's id.

    Returns:
        The means of each measure; sums are rounded once, so they do not depend on the order of the terms.
    """
    candidates = [candidate._replace(score=0.0) for candidate in query.ranked]
    kinds = list(dict.fromkeys(candidates))
    orders = Counter(_orders([kinds.index(candidate) for candidate in candidates], seed))
    rankings = [RankedQuery([kinds[kind] for kind in order], query.unranked) for order in orders]
    number = orders.total()

    def mean(values: Sequence[float]) -> float:
        return fsum(chain.from_iterable(map(repeat, values, orders.values()))) / number

    return [tuple(map(mean, zip(*map(measure.components, rankings), strict=True))) for measure in measures]


def _orders(candidates: Sequence[int], seed: str) -> Iterable[tuple[int, ...]]:
    if factorial(len(candidates)) <= DRAWS:
        return permutations(candidates)
    drawn = Random(seed)
    return (tuple(drawn.sample(candidates, len(candidates))) for _ in range(DRAWS))


# Rankings with the judgments of their queries.
#
# Files and Python objects become judged rankings (``judging``), without Spark; ``measuring`` evaluates them, and
# ``compare_rankings`` compares them.


class JudgedRanking(NamedTuple):
    """The judged queries of a data set, as ranked by a file or a system.

    Attributes:
        name: path of the file as given, or name of the ranking.
        queries: ids of the queries; resamples depend on their order.
        candidates: the candidates of all queries in the order of their ranks, those of a query that are not ranked
            last, of type ``CANDIDATE``.
        sizes: number of candidates of each query.
        predicts_labels: whether it predicts which candidates are relevant; a run of TREC does not, nor a gold file,
            whose labels are the judgments.
    """

    name: str
    queries: pa.StringArray
    candidates: NDArray[np.void]
    sizes: NDArray[np.int64]
    predicts_labels: bool = True

    def has(self, measure: Measure) -> bool:
        """Whether the measure has a value."""
        return self.predicts_labels or not measure.uses_labels

    def chosen(self, queries: NDArray[np.bool_]) -> JudgedRanking:
        """Some of the queries; the mask has shape (queries,)."""
        candidates = self.candidates[np.repeat(queries, self.sizes)]
        chosen = self.queries.filter(pa.array(queries))
        return self._replace(queries=chosen, candidates=candidates, sizes=self.sizes[queries])

    def ranked_queries(self) -> Iterator[RankedQuery]:
        """The queries, one by one."""
        return map(ranked_query, patterns(self.candidates, self.sizes, keep_scores=True))


def in_order(
    name: str,
    queries: pa.StringArray,
    query: NDArray[np.int32],
    order: NDArray[np.int32],
    predicts_labels: bool,
    properties: Mapping[str, NDArray[Any]],
) -> JudgedRanking:
    """A ranking of candidates.

    Args:
        name: its name.
        queries: ids of the queries.
        query: position of each candidate's query among them, shape (candidates,).
        order: the candidates of the ranking, query by query, in the order of their ranks.
        predicts_labels: whether it predicts which candidates are relevant.
        properties: fields of ``CANDIDATE``, shape (candidates,); those that are left out are 0.
    """
    candidates = np.zeros(len(order), CANDIDATE)
    for field, values in properties.items():
        candidates[field] = values[order]
    sizes = np.bincount(query[order], minlength=len(queries))
    return JudgedRanking(name, queries, candidates, sizes, predicts_labels)


def evaluate(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, float | None]:
    """Measures of a ranking over its queries.

    Args:
        ranking: the ranking.
        measures: measures, or their names as written.
        at_random: whether to compute the expectation over all orders, for a random ranking.

    Returns:
        Fractions in full precision, by display name; None for a measure of labels if the ranking predicts none.

    Raises:
        ConfigError: an unknown measure.
    """
    found = query_components(ranking, measures, at_random=at_random)
    return {
        str(measure): measure.total(found[measure].all()) if measure in found else None
        for measure in map(parsed, measures)
    }


def standard_errors(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, float]:
    """Standard errors over topics, by bootstrap, of the measures that have a value; the arguments of ``evaluate``."""
    found = query_components(ranking, measures, at_random=at_random)
    components = {measure: of_measure.all()[None] for measure, of_measure in found.items()}
    resampled, sizes = in_groups(components, SEED, topic_numbers(ranking.queries))
    intervals = bootstrap_intervals(resampled, sizes=sizes)
    return {str(measure): float(ends.standard_error[0]) for measure, ends in intervals.items()}


class QueryComponents(NamedTuple):
    """The components of a measure; queries with the same pattern of candidates share theirs.

    Attributes:
        distinct: shape (patterns, components).
        pattern: the pattern of each query.
    """

    distinct: NDArray[np.float64]
    pattern: NDArray[np.int64]

    def all(self) -> NDArray[np.float64]:
        """Those of each query, shape (queries, components)."""
        return self.distinct[self.pattern]

    def values(self, measure: Measure) -> list[float]:
        """The measure of each query alone."""
        values = [measure.aggregate(row, 1) for row in self.distinct.tolist()]
        return [values[number] for number in self.pattern.tolist()]


def query_components(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[Measure, QueryComponents]:
    """The components of each measure that has a value. The arguments are those of ``evaluate``."""
    with_values = [measure for measure in dict.fromkeys(map(parsed, measures)) if ranking.has(measure)]
    found: dict[Measure, QueryComponents] = {}
    for keep_scores in (False, True):
        chosen = [measure for measure in with_values if measure.uses_scores == keep_scores]
        if at_random and chosen:
            drawn = [
                expected_components(chosen, query, name)
                for query, name in zip(ranking.ranked_queries(), ranking.queries.to_pylist(), strict=True)
            ]
            for each, rows in zip(chosen, zip(*drawn, strict=True), strict=True):
                found[each] = QueryComponents(np.array(rows, np.float64), np.arange(len(drawn)))
        elif chosen:
            numbers: dict[bytes, int] = {}
            of_queries = patterns(ranking.candidates, ranking.sizes, keep_scores=keep_scores)
            number = np.fromiter((numbers.setdefault(each, len(numbers)) for each in of_queries), np.int64)
            for each in chosen:
                distinct = each.components_of(map(ranked_query, numbers))
                found[each] = QueryComponents(np.array(distinct, np.float64), number)
    return found


def parsed(measure: str | Measure) -> Measure:
    """A measure, also by its name as written."""
    return parse_measure(measure) if isinstance(measure, str) else measure


# The measures of several rankings as records, as the commands on files write them: in all and by query.


class ReportedMeasure(NamedTuple):
    """A measure of the commands on files.

    Attributes:
        measure: as written, such as ``MAP@10``, or a measure that has no name in the settings.
        key: its key in JSON and CSV.
        heading: its column in tables.
    """

    measure: str | Measure
    key: str
    heading: str


def records(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> list[dict[str, Any]]:
    """The measures of each ranking: ``file``, ``queries``, and fractions by key; None where there is no value."""
    return [
        {"file": ranking.name, "queries": len(ranking.queries)} | _keyed(measures, evaluate(ranking, _of(measures)))
        for ranking in rankings
    ]


def query_records(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> list[dict[str, Any]]:
    """The measures of each query of each ranking: ``file``, ``query``, and fractions by key."""
    keys = ["file", "query", *(reported.key for reported in measures)]
    rows: list[dict[str, Any]] = []
    for ranking in rankings:
        names = [[ranking.name] * len(ranking.queries), ranking.queries.to_pylist()]
        found = query_components(ranking, _of(measures))
        values = [
            found[each].values(each) if each in found and each.has_query_values else [None] * len(ranking.queries)
            for each in map(parsed, _of(measures))
        ]
        rows += [dict(zip(keys, row, strict=True)) for row in zip(*names, *values, strict=True)]
    return rows


def _of(measures: Sequence[ReportedMeasure]) -> list[str | Measure]:
    return [reported.measure for reported in measures]


def _keyed(measures: Sequence[ReportedMeasure], values: Mapping[str, float | None]) -> dict[str, float | None]:
    return dict(zip([reported.key for reported in measures], values.values(), strict=True))


# Sums that do not depend on the order of their terms: terms are split into digits, whose sums are exact.
#
# The digits of a term are whole numbers: the term, rounded, and then the rest in units of the next power of 1 /
# ``BASE``. Whole numbers are added without rounding, in any order and on any partitions.

BASE = 2**32
"""Sums of two billion digits fit a 64-bit integer, and sums of two million a 64-bit float."""

Terms = TypeVar("Terms", "NDArray[np.float64]", "Column")
Sums = TypeVar("Sums", "NDArray[np.float64]", Fraction)


def digits(terms: Terms, number: int, rint: Callable[[Terms], Terms]) -> list[Terms]:
    """The digits of terms, the largest first.

    Args:
        terms: 64-bit floats.
        number: number of digits; the sums are exact for terms that are multiples of ``BASE`` ** (1 - number).
        rint: rounds to whole numbers: ``numpy.rint`` or that of Spark.
    """
    found: list[Terms] = []
    rest = terms
    for _ in range(number):
        found.append(rint(rest))
        rest = (rest - found[-1]) * BASE
    return found


def from_digits(sums: Sequence[Sums]) -> Sums:
    """The sum of the terms.

    Args:
        sums: the sum of each digit, the largest first.
    """
    total = sums[0]
    for place, digit in enumerate(sums[1:], start=1):
        total = total + digit / BASE**place
    return total


# Measures over the queries of each group, on Spark; bit-equal for any partitions.

_DIGITS = 3
"""Components above 2 ** -12 are then added exactly."""


def measure_totals(measured: DataFrame, measure: str, by: Sequence[str]) -> dict[tuple[Any, ...], float]:
    """A measure over all queries of each group; components are added up where they are stored.

    Args:
        measured: result of ``by_measure`` for this measure.
        measure: its display name.
        by: columns that identify a group.

    Returns:
        The measure by the values of these columns.
    """
    from pyspark.sql import functions as F  # files are measured without Spark

    components = measured.select(*by, F.posexplode("components").alias("place", "component"))
    of_component = digits(F.col("component"), _DIGITS, F.rint)
    sums = [F.sum(digit.cast("long")).alias(f"digit{number}") for number, digit in enumerate(of_component)]
    rows = components.groupBy(*by, "place").agg(F.count(F.lit(1)).alias("queries"), *sums).orderBy("place").collect()
    totals: dict[tuple[Any, ...], list[float]] = {}
    queries = {tuple(row[name] for name in by): row["queries"] for row in rows}
    for row in rows:
        exact = from_digits([Fraction(row[f"digit{number}"]) for number in range(_DIGITS)])
        totals.setdefault(tuple(row[name] for name in by), []).append(float(exact))
    parsed = parse_measure(measure)
    return {group: parsed.aggregate(sums, queries[group]) for group, sums in totals.items()}
