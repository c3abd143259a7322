"""The measures of a judged ranking, with standard errors, and their components by query."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cqa_spark.evaluation.clustered import topic_numbers
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.judged_rankings import JudgedRanking
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.patterns import patterns, ranked_query
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.resampling import SEED, in_groups


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
