"""Rankings with the judgments of their queries: measures, by query and by fold, and standard errors.

Files and Python objects become judged rankings first (``judging``), without Spark; ``compare_rankings`` compares them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

from cqa_spark.errors import InputError
from cqa_spark.evaluation.coverage import some
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_query import RankedQuery


class JudgedRanking(NamedTuple):
    """The judged queries of a data set, as ranked by a file or a system.

    Attributes:
        name: path of the file as given, or name of the ranking.
        queries: the queries by id; resamples depend on their order.
        predicts_labels: whether it predicts which candidates are relevant; a run of TREC does not, nor a gold file,
            whose labels are the judgments.
    """

    name: str
    queries: Mapping[str, RankedQuery]
    predicts_labels: bool = True

    def has(self, measure: Measure) -> bool:
        """Whether the measure has a value."""
        return self.predicts_labels or not measure.uses_labels


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
    parsed = [*map(_parsed, measures)]
    return {
        str(each): each.total(_components(each, ranking, at_random)) if ranking.has(each) else None for each in parsed
    }


def standard_errors(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, float]:
    """Standard errors over queries, by bootstrap, of the measures that have a value; the arguments of ``evaluate``."""
    import numpy as np

    components = {
        measure: np.array([list(_components(measure, ranking, at_random))])
        for measure in map(_parsed, measures)
        if ranking.has(measure)
    }
    return {str(measure): float(ends.standard_error[0]) for measure, ends in bootstrap_intervals(components).items()}


def records(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> list[dict[str, Any]]:
    """The measures of each ranking: ``file``, ``queries``, and fractions by key; None where there is no value."""
    return [
        {"file": ranking.name, "queries": len(ranking.queries)} | _keyed(measures, evaluate(ranking, _of(measures)))
        for ranking in rankings
    ]


def query_records(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> list[dict[str, Any]]:
    """The measures of each query of each ranking: ``file``, ``query``, and fractions by key."""
    rows = []
    for ranking in rankings:
        values: dict[str, Sequence[float | None]] = {}
        for measure in map(_parsed, _of(measures)):
            has_values = ranking.has(measure) and measure.has_query_values
            components = _components(measure, ranking, at_random=False) if has_values else ()
            values[str(measure)] = [measure.aggregate(of_query, 1) for of_query in components] or [None] * len(
                ranking.queries
            )
        for number, query in enumerate(ranking.queries):
            of_query = {name: of_measure[number] for name, of_measure in values.items()}
            rows.append({"file": ranking.name, "query": query} | _keyed(measures, of_query))
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
        if without := ranking.queries.keys() - folds.keys():
            raise InputError(
                f"{ranking.name}: queries without a fold: {some(sorted(without))}", "give each query a fold"
            )
        queries: dict[str, dict[str, RankedQuery]] = defaultdict(dict)
        for name, query in ranking.queries.items():
            queries[folds[name]][name] = query
        of_folds = [
            (fold, len(queries[fold]), evaluate(ranking._replace(queries=queries[fold]), _of(measures)))
            for fold in sorted(queries)
        ]
        statistics = []
        for name, statistic in (("mean", mean), ("standard deviation", stdev)):
            of_measures = {measure: [values[measure] for *_, values in of_folds] for measure in of_folds[0][-1]}
            over_folds = {
                measure: statistic(numbers)
                if len(numbers := [value for value in by_fold if value is not None]) > 1
                else None
                for measure, by_fold in of_measures.items()
            }
            statistics.append((name, len(ranking.queries), over_folds))
        rows += [
            {"file": ranking.name, "fold": fold, "queries": number} | _keyed(measures, values)
            for fold, number, values in (*of_folds, *statistics)
        ]
    return rows


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


def _of(measures: Sequence[ReportedMeasure]) -> list[str | Measure]:
    return [reported.measure for reported in measures]


def _keyed(measures: Sequence[ReportedMeasure], values: Mapping[str, float | None]) -> dict[str, float | None]:
    return dict(zip([reported.key for reported in measures], values.values(), strict=True))


def _parsed(measure: str | Measure) -> Measure:
    return parse_measure(measure) if isinstance(measure, str) else measure


def _components(measure: Measure, ranking: JudgedRanking, at_random: bool) -> list[tuple[float, ...]]:
    """The components of each query."""
    if at_random:
        return [expected_components([measure], query, name)[0] for name, query in ranking.queries.items()]
    return measure.components_of(ranking.queries.values())
