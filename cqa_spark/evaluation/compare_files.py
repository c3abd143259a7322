"""Intervals of rankings, and paired tests against one or more baselines, without Spark."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cqa_spark.errors import InputError
from cqa_spark.evaluation.evaluate import JudgedRanking, query_components
from cqa_spark.evaluation.measure import MeanMeasure, Measure
from cqa_spark.evaluation.statistics.bootstrap import Resampling, aggregated, in_groups
from cqa_spark.evaluation.statistics.clusters import topic_numbers
from cqa_spark.evaluation.statistics.tests import ComparedSystems, compare_systems


@dataclass(frozen=True)
class RankingComparison:
    """One measure of one ranking, compared with a baseline.

    A gold file or a run of TREC predicts no labels: its measures of labels are NaN, and so are differences from them.

    Attributes:
        measure: display name of the measure, such as ``MAP@10``.
        file: path as given, or name of the ranking.
        queries: number of evaluated queries.
        value: the measure, a fraction.
        low: lower end of its interval.
        high: upper end of its interval.
        difference: the value minus that of the baseline; 0 for the baseline.
        p_value: two-sided, of the paired randomization test against the baseline, adjusted by Holm for the number of
            rankings that are tested against it; 1 for the baseline.
        baseline: name of the baseline.
        difference_low: lower end of the interval of the difference.
        difference_high: upper end of the interval of the difference.
        wins: number of queries on which the ranking is better; None if single queries have no value.
        ties: number of queries on which both are equal.
        losses: number of queries on which it is worse.
        effect_size: mean of the differences by query, divided by their standard deviation (Sakai 2014, Statistical
            Reform in Information Retrieval?, SIGIR Forum 48(1), section 3.4); NaN if the measure is no mean over
            queries, or all differences are equal.
        williams: two-sided p-value of Williams' test against the baseline, adjusted in the same way; NaN unless the
            measure is one correlation.
    """

    measure: str
    file: str
    queries: int
    value: float = nan
    low: float = nan
    high: float = nan
    difference: float = nan
    p_value: float = nan
    baseline: str = ""
    difference_low: float = nan
    difference_high: float = nan
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    effect_size: float = nan
    williams: float = nan

    def record(self) -> dict[str, Any]:
        """The attributes by name; None for NaN."""
        return {
            name: None if isinstance(value, float) and isnan(value) else value for name, value in asdict(self).items()
        }


def compare_rankings(
    rankings: Sequence[JudgedRanking], measures: Sequence[Measure], drawn: Resampling, baselines: Sequence[int] = (0,)
) -> list[RankingComparison]:
    """Evaluate rankings, with intervals, and test them against baselines.

    Args:
        rankings: rankings of the same queries; a gold file stands for the order that the task gives.
        measures: the measures.
        drawn: parameters of the resampling.
        baselines: positions of the baselines. Each ranking is tested against every one that does not precede it.

    Returns:
        Measure by measure, baseline by baseline, the rankings in the order given without earlier baselines.

    Raises:
        InputError: the rankings have different queries.

    >>> from cqa_spark.evaluation.files.judging import judge
    >>> judgments = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    >>> old = {"q1": {"a": 0.1, "b": 0.2}, "q2": {"a": 0.7, "b": 0.4}}
    >>> new = {"q1": {"a": 0.9, "b": 0.2}, "q2": {"a": 0.7, "b": 0.4}}
    >>> data = judge(judgments, [("old", old), ("new", new)])
    >>> first, second = compare_rankings(data.rankings, data.measures(["RR"]), Resampling(resamples=99))
    >>> first.value, second.value, second.difference, second.wins
    (0.5, 0.75, 0.25, 1)
    """
    first = rankings[0]
    for ranking in rankings[1:]:
        if not ranking.queries.equals(first.queries):
            raise InputError(
                f"{ranking.name} and {first.name} rank different queries: {len(ranking.queries)} and "
                f"{len(first.queries)}",
                "a paired test needs the same queries: compare files of one data set",
            )
    names, topics = [ranking.name for ranking in rankings], topic_numbers(first.queries)
    rows: dict[str, list[RankingComparison]] = {}
    # Measures of labels compare only the rankings that predict labels.
    for uses_labels in (False, True):
        members = [number for number, ranking in enumerate(rankings) if ranking.predicts_labels or not uses_labels]
        chosen = [measure for measure in measures if measure.uses_labels == uses_labels]
        of_members = [query_components(rankings[member], chosen) for member in members]
        components = {measure: np.array([of_member[measure].all() for of_member in of_members]) for measure in chosen}
        for row in compare_components(components, names, drawn, baselines, members, topics):
            rows.setdefault(row.measure, []).append(replace(row, queries=len(first.queries)))
    return [row for measure in measures for row in rows[str(measure)]]


def compare_components(
    components: Mapping[Measure, NDArray[np.float64]],
    names: Sequence[str],
    drawn: Resampling,
    baselines: Sequence[int] = (0,),
    members: Sequence[int] | None = None,
    topics: NDArray[np.int64] | None = None,
) -> Iterator[RankingComparison]:
    """Intervals of rankings, and tests against baselines.

    Args:
        components: additive components, shape (members, queries, components), by measure.
        names: paths of the files, or names of the rankings; they may repeat.
        drawn: parameters of the resampling.
        baselines: positions of the baselines among the names.
        members: positions of the rankings that have components; None for all.
        topics: as for ``in_groups``.

    Yields:
        Measure by measure, baseline by baseline, the rankings in the order given without earlier baselines.
    """
    members = [*range(len(names))] if members is None else members
    tests = _tests(components, members, drawn, baselines, topics) if components and members else {}
    for measure in components:
        for number, baseline in enumerate(baselines):
            for position, name in enumerate(names):
                if position not in baselines[:number]:
                    nothing = RankingComparison(str(measure), name, 0)
                    alone = tests.get((str(measure), position, None), nothing)
                    row = tests.get((str(measure), position, baseline), alone)
                    yield replace(row, file=name, baseline=names[baseline])


def _tests(
    components: Mapping[Measure, NDArray[np.float64]],
    members: Sequence[int],
    drawn: Resampling,
    baselines: Sequence[int],
    topics: NDArray[np.int64] | None,
) -> dict[tuple[str, int, int | None], RankingComparison]:
    """By measure and ranking, the value alone, and the tests against each baseline by its position."""
    # Names may repeat, positions do not.
    systems = [str(member) for member in members]
    totals = {
        measure: np.array([measure.total(rows) for rows in of_members]) for measure, of_members in components.items()
    }
    compared = ComparedSystems(tuple(map(str, baselines)))
    by_name = {str(measure): measure for measure in components}
    comparisons: dict[tuple[str, int, int | None], RankingComparison] = {}
    resampled, sizes = in_groups(components, drawn.seed, topics)
    for row in compare_systems(systems, resampled, totals, compared, drawn, sizes).to_dict("records"):
        measure, position = by_name[row["measure"]], int(row["system"])
        of_measure = components[measure]
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        alone = RankingComparison(row["measure"], row["system"], of_measure.shape[1], value, low, high)
        comparisons[row["measure"], position, None] = alone
        if position in baselines:
            comparisons[row["measure"], position, position] = replace(alone, difference=0.0, p_value=1.0)
        if isinstance(row["baseline"], str):
            columns = ("difference", "difference_low", "difference_high", "p_value")
            against = int(row["baseline"])
            tested: dict[str, Any] = {name: float(row[name]) for name in columns}
            tested |= _outcomes(measure, of_measure, members.index(position), members.index(against))
            comparisons[row["measure"], position, against] = replace(alone, **tested)
    return comparisons


def _outcomes(measure: Measure, components: NDArray[np.float64], ranking: int, baseline: int) -> dict[str, Any]:
    """Wins, ties, losses and effect size of a ranking on single queries; nothing if these have no values."""
    if not measure.has_query_values:
        return {}
    pair = components[[ranking, baseline]]
    ours, theirs = aggregated({measure: pair}, pair, 1)[0]
    wins, losses, differences = int((ours > theirs).sum()), int((ours < theirs).sum()), ours - theirs
    spread = float(differences.std(ddof=1)) if isinstance(measure, MeanMeasure) and len(ours) > 1 else 0.0
    effect_size = float(differences.mean()) / spread if spread else nan
    return {"wins": wins, "ties": len(ours) - wins - losses, "losses": losses, "effect_size": effect_size}
