"""Intervals of rankings, and paired tests of each against the first, without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING

from cqa_spark.errors import InputError
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.judged_rankings import JudgedRanking
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.ranked_query import RankedQuery
from cqa_spark.evaluation.resampling import Resampling
from cqa_spark.evaluation.significance import holm, randomization_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class RankingComparison:
    """One measure of one ranking, compared with the first one.

    A gold file predicts no labels: its measures of labels are NaN, and so are differences from them.

    Attributes:
        measure: display name of the measure, such as ``MAP@10``.
        file: path as given, or name of the ranking.
        queries: number of evaluated queries.
        value: the measure, a fraction.
        low: lower end of its interval.
        high: upper end of its interval.
        difference: the value minus that of the first ranking; 0 for the first.
        p_value: two-sided, of the paired randomization test against the first ranking, adjusted by Holm for the number
            of rankings; 1 for the first.
        williams: two-sided p-value of Williams' test against the first file, adjusted in the same way; NaN unless the
            measure is one correlation.
    """

    measure: str
    file: str
    queries: int
    value: float
    low: float
    high: float
    difference: float
    p_value: float
    williams: float = nan


def compare_rankings(
    rankings: Sequence[JudgedRanking], measures: Sequence[str], drawn: Resampling
) -> list[RankingComparison]:
    """Evaluate rankings, with intervals, and test each against the first.

    Args:
        rankings: rankings of the same queries; a gold file stands for the order that the task gives.
        measures: measures as written.
        drawn: parameters of the resampling.

    Returns:
        Measure by measure, the rankings in the order given.

    Raises:
        ConfigError: an unknown measure.
        InputError: the rankings have different queries.
    """
    _require_same_queries(rankings)
    parsed = [*map(parse_measure, measures)]
    compared = {
        **_compared([each for each in parsed if not each.uses_labels], rankings, drawn),
        **_compared(
            [each for each in parsed if each.uses_labels], [each for each in rankings if each.predicts_labels], drawn
        ),
    }
    rows = []
    for measure in parsed:
        of_measure = iter(compared.get(str(measure), ()))
        for ranking in rankings:
            if not ranking.has(measure):
                rows.append(
                    RankingComparison(str(measure), ranking.name, len(ranking.queries), nan, nan, nan, nan, nan)
                )
            elif rankings[0].has(measure):
                rows.append(next(of_measure))
            else:
                rows.append(replace(next(of_measure), difference=nan, p_value=nan))
    return rows


def to_json(comparisons: Sequence[RankingComparison]) -> str:
    """The comparisons as a JSON array, in full precision; null for NaN."""
    rows = [
        {name: None if isinstance(value, float) and isnan(value) else value for name, value in asdict(each).items()}
        for each in comparisons
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


def components_of(
    measures: Sequence[Measure], ranked: Sequence[Sequence[RankedQuery]]
) -> dict[Measure, NDArray[np.float64]]:
    """Additive components of the queries of several rankings, shape (rankings, queries, components), by measure.

    Args:
        measures: measures to compute.
        ranked: the queries of each ranking, all in one order.
    """
    import numpy as np

    return {measure: np.array([measure.components_of(queries) for queries in ranked]) for measure in measures}


def compare_components(
    components: Mapping[Measure, NDArray[np.float64]],
    names: Sequence[str],
    drawn: Resampling,
) -> Iterator[RankingComparison]:
    """Intervals of each ranking, and a test of each against the first.

    Args:
        components: additive components, shape (rankings, queries, components), by measure.
        names: paths of the files, or names of the rankings.
        drawn: parameters of the resampling.

    Yields:
        Measure by measure, the rankings in the order given.
    """
    others = {measure: of_files[1:] for measure, of_files in components.items()}
    first = {measure: of_files[0] for measure, of_files in components.items()}
    ends = bootstrap_intervals(components, **drawn._asdict())
    tests = randomization_test(others, first, resamples=drawn.resamples, seed=drawn.seed)
    for measure, of_files in components.items():
        values = [measure.total(map(tuple, rows)) for rows in of_files]
        p_values = [1.0, *holm(tests[measure])]
        for file, value, low, high, p_value in zip(names, values, *ends[measure][:2], p_values, strict=True):
            yield RankingComparison(
                str(measure), file, of_files.shape[1], value, float(low), float(high), value - values[0],
                float(p_value),
            )  # fmt: skip


def _compared(
    measures: Sequence[Measure], rankings: Sequence[JudgedRanking], drawn: Resampling
) -> dict[str, list[RankingComparison]]:
    """The comparisons by measure, of rankings that have values of all these measures."""
    if not measures or not rankings:
        return {}
    components = components_of(measures, [[each.queries[query] for query in rankings[0].queries] for each in rankings])
    compared: dict[str, list[RankingComparison]] = {}
    for row in compare_components(components, [each.name for each in rankings], drawn):
        compared.setdefault(row.measure, []).append(row)
    return compared


def _require_same_queries(rankings: Sequence[JudgedRanking]) -> None:
    first = rankings[0]
    for ranking in rankings[1:]:
        if ranking.queries.keys() != first.queries.keys():
            raise InputError(
                f"{ranking.name} and {first.name} rank different queries: {len(ranking.queries)} and "
                f"{len(first.queries)}",
                "a paired test needs the same queries: compare files of one data set",
            )
