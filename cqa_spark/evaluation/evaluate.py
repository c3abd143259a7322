"""Rankings with the judgments of their queries, their measures with standard errors, and the components by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, permutations, repeat
from math import factorial, fsum
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.evaluation.measure import Candidate, Measure, RankedQuery
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.bootstrap import SEED, Intervals, bootstrap_intervals, in_groups
from cqa_spark.evaluation.statistics.clusters import topic_numbers

CANDIDATE = np.dtype(
    {
        "names": ["ranked", "relevant", "gain", "predicted", "score", "judged"],
        "formats": ["?", "?", "f8", "?", "f8", "?"],
    }
)
"""The properties of a candidate that a measure uses."""

Pattern = bytes
"""The candidates of a query in the order of their ranks, then those that are not ranked: records of ``CANDIDATE``."""

_MOST = 100_000
"""Number of patterns whose measures are cached."""

_QUERIES = 50_000
"""Number of queries whose candidates are copied at once."""

DRAWS = 500
"""Maximum number of orders of a random ranking; the mean over several hundred queries then varies by 0.1 points."""


class JudgedRanking(NamedTuple):
    """The judged queries of a data set, as ranked by a file or a system, without Spark.

    Attributes:
        name: path of the file as given, or name of the ranking.
        queries: ids of the queries; resamples depend on their order.
        candidates: the candidates of all queries, of type ``CANDIDATE``; those of a query in the order of their ranks,
            then those that are not ranked.
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
    components = query_components(ranking, measures, at_random=at_random)
    return {
        str(measure): measure.total(components[measure].all()) if measure in components else None
        for measure in map(parsed, measures)
    }


def intervals(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, Intervals]:
    """Intervals over topics, by bootstrap, of the measures that have a value; the arguments of ``evaluate``."""
    of_queries = query_components(ranking, measures, at_random=at_random)
    components = {measure: of_measure.all()[None] for measure, of_measure in of_queries.items()}
    resampled, sizes = in_groups(components, SEED, topic_numbers(ranking.queries))
    return {str(measure): ends for measure, ends in bootstrap_intervals(resampled, sizes=sizes).items()}


def standard_errors(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, float]:
    """Standard errors over topics, by bootstrap, of the measures that have a value; the arguments of ``evaluate``."""
    of_measures = intervals(ranking, measures, at_random=at_random)
    return {measure: float(ends.standard_error[0]) for measure, ends in of_measures.items()}


class QueryComponents(NamedTuple):
    """The components of a measure; queries with the same pattern of candidates share theirs.

    Attributes:
        distinct: shape (patterns, components).
        pattern: the pattern of each query.
    """

    distinct: NDArray[np.float64]
    pattern: NDArray[np.int64]

    def all(self) -> NDArray[np.float64]:
        """The components of each query, shape (queries, components)."""
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
    components: dict[Measure, QueryComponents] = {}
    # Measures that read no scores share patterns without scores, of which there are fewer.
    for keep_scores in (False, True):
        chosen = [measure for measure in with_values if measure.uses_scores == keep_scores]
        if at_random and chosen:
            expected = [
                expected_components(chosen, query, name)
                for query, name in zip(ranking.ranked_queries(), ranking.queries.to_pylist(), strict=True)
            ]
            for measure, rows in zip(chosen, zip(*expected, strict=True), strict=True):
                components[measure] = QueryComponents(np.array(rows, np.float64), np.arange(len(expected)))
        elif chosen:
            # The number of each distinct pattern, in the order in which they first occur.
            numbers: dict[Pattern, int] = {}
            of_queries = patterns(ranking.candidates, ranking.sizes, keep_scores=keep_scores)
            number = np.fromiter((numbers.setdefault(pattern, len(numbers)) for pattern in of_queries), np.int64)
            for measure in chosen:
                distinct = measure.components_of(map(ranked_query, numbers))
                components[measure] = QueryComponents(np.array(distinct, np.float64), number)
    return components


def parsed(measure: str | Measure) -> Measure:
    """A measure, also by its name as written."""
    return parse_measure(measure) if isinstance(measure, str) else measure


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
    keys, chosen = [reported.key for reported in measures], [reported.measure for reported in measures]
    return [
        {"file": ranking.name, "queries": len(ranking.queries)}
        | dict(zip(keys, evaluate(ranking, chosen).values(), strict=True))
        for ranking in rankings
    ]


def query_records(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> list[dict[str, Any]]:
    """The measures of each query of each ranking: ``file``, ``query``, and fractions by key."""
    keys = ["file", "query", *(reported.key for reported in measures)]
    chosen = [parsed(reported.measure) for reported in measures]
    rows: list[dict[str, Any]] = []
    for ranking in rankings:
        columns = [[ranking.name] * len(ranking.queries), ranking.queries.to_pylist()]
        components = query_components(ranking, chosen)
        for measure in chosen:
            if measure in components and measure.has_query_values:
                columns.append(components[measure].values(measure))
            else:
                columns.append([None] * len(ranking.queries))
        rows += [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
    return rows


# The patterns of candidates, and the measures of each.


class Measured(NamedTuple):
    """The measures of a query: the value and the components of each."""

    values: tuple[float, ...]
    components: tuple[tuple[float, ...], ...]


class MeasuredPatterns:
    """Computes the measures of queries with the same pattern of candidates once.

    Most measures depend only on the ranks of the relevant candidates. Ten candidates, one of them relevant, have ten
    such patterns, and a million queries about a thousand.

    Args:
        measures: measures to compute.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._measures = measures
        self._cache: dict[Pattern, Measured] = {}

    def components(self, pattern: Pattern) -> Measured:
        """The measures of a query with this pattern."""
        of_pattern = self._cache.get(pattern)
        if of_pattern is None:
            if len(self._cache) >= _MOST:
                self._cache.clear()
            query = ranked_query(pattern)
            of_pattern = measured(self._measures, [measure.components(query) for measure in self._measures])
            self._cache[pattern] = of_pattern
        return of_pattern


def patterns(candidates: NDArray[np.void], sizes: NDArray[np.int64], *, keep_scores: bool) -> Iterator[Pattern]:
    """The pattern of each query.

    Args:
        candidates: the candidates of all queries, of type ``CANDIDATE``.
        sizes: number of candidates of each query.
        keep_scores: whether to keep scores, without which more queries have the same pattern.
    """
    # Candidates lie query by query: the pattern of a query is a slice of the bytes of its records.
    bounds = np.append(0, np.cumsum(sizes))
    for first in range(0, len(sizes), _QUERIES):
        ends = bounds[first : first + _QUERIES + 1]
        piece = candidates[ends[0] : ends[-1]].copy()
        if not keep_scores:
            piece["score"] = 0.0
        records, offsets = piece.tobytes(), ((ends - ends[0]) * CANDIDATE.itemsize).tolist()
        yield from map(records.__getitem__, map(slice, offsets[:-1], offsets[1:]))


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
    kind_of = [kinds.index(candidate) for candidate in candidates]
    orders: Iterable[tuple[int, ...]]
    if factorial(len(candidates)) <= DRAWS:
        orders = permutations(kind_of)
    else:
        draw = Random(seed)
        orders = (tuple(draw.sample(kind_of, len(kind_of))) for _ in range(DRAWS))
    counts = Counter(orders)
    rankings = [RankedQuery([kinds[kind] for kind in order], query.unranked) for order in counts]

    def mean(values: Sequence[float]) -> float:
        return fsum(chain.from_iterable(map(repeat, values, counts.values()))) / counts.total()

    return [tuple(map(mean, zip(*map(measure.components, rankings), strict=True))) for measure in measures]
