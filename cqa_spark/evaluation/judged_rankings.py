"""Rankings with the judgments of their queries: measures, by query and by fold, and standard errors.

Files and Python objects become judged rankings first (``judging``), without Spark; ``compare_rankings`` compares them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.errors import InputError
from cqa_spark.evaluation.coverage import some
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.patterns import CANDIDATE, patterns, ranked_query
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_query import RankedQuery


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

    def chosen(self, queries: NDArray[np.bool_]) -> "JudgedRanking":
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
        for measure in map(_parsed, measures)
    }


def standard_errors(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, float]:
    """Standard errors over queries, by bootstrap, of the measures that have a value; the arguments of ``evaluate``."""
    found = query_components(ranking, measures, at_random=at_random)
    components = {measure: of_measure.all()[None] for measure, of_measure in found.items()}
    return {str(measure): float(ends.standard_error[0]) for measure, ends in bootstrap_intervals(components).items()}


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
            for each in map(_parsed, _of(measures))
        ]
        rows += [dict(zip(keys, row, strict=True)) for row in zip(*names, *values, strict=True)]
    return rows


def fold_records(
    rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure], folds: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The measures of each ranking by fold, then their mean and standard deviation over folds.

    Args:
        rankings: the rankings.
        measures: the measures.
        folds: fold of each query.

    Returns:
        ``file``, ``fold``, ``queries``, and fractions by key.

    Raises:
        InputError: a query has no fold.
    """
    rows = []
    for ranking in rankings:
        queries = ranking.queries.to_pylist()
        if without := set(queries) - folds.keys():
            raise InputError(
                f"{ranking.name}: queries without a fold: {some(sorted(without))}", "give each query a fold"
            )
        fold_of = np.array([folds[query] for query in queries], dtype=object)
        of_folds = []
        for fold in sorted(set(fold_of)):
            part = ranking.chosen(fold_of == fold)
            of_folds.append((fold, len(part.queries), [*evaluate(part, _of(measures)).values()]))
        by_measure = [*zip(*(values for *_, values in of_folds), strict=True)]
        for name, statistic in (("mean", mean), ("standard deviation", stdev)):
            known = [[value for value in by_fold if value is not None] for by_fold in by_measure]
            of_folds.append((name, len(queries), [statistic(each) if len(each) > 1 else None for each in known]))
        rows += [
            {"file": ranking.name, "fold": fold, "queries": number}
            | dict(zip([reported.key for reported in measures], values, strict=True))
            for fold, number, values in of_folds
        ]
    return rows


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
    parsed = [measure for measure in dict.fromkeys(map(_parsed, measures)) if ranking.has(measure)]
    found: dict[Measure, QueryComponents] = {}
    for keep_scores in (False, True):
        chosen = [measure for measure in parsed if measure.uses_scores == keep_scores]
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


def distinct_labels(names: Sequence[str]) -> dict[str, str]:
    """The shortest end of each path that is not the end of another one.

    Args:
        names: paths of files, or names of rankings; they may repeat.
    """
    parts = {name: Path(name).parts for name in names}
    labels = {}
    for name, own in parts.items():
        others = [other for other in parts.values() if other != own]
        lengths = range(1, len(own) + 1)
        length = next((n for n in lengths if all(other[-n:] != own[-n:] for other in others)), len(own))
        labels[name] = str(Path(*own[-length:]))
    return labels


def _parsed(measure: str | Measure) -> Measure:
    return parse_measure(measure) if isinstance(measure, str) else measure


def _of(measures: Sequence[ReportedMeasure]) -> list[str | Measure]:
    return [reported.measure for reported in measures]


def _keyed(measures: Sequence[ReportedMeasure], values: Mapping[str, float | None]) -> dict[str, float | None]:
    return dict(zip([reported.key for reported in measures], values.values(), strict=True))
