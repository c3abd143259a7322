"""Correlation of predicted similarities with gold scores, without Spark: ``--task sts`` of the commands on files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cqa_spark.errors import InputError
from cqa_spark.evaluation.compare_rankings import RankingComparison, compare_components
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measure import Measure, Sum
from cqa_spark.evaluation.measures.pearson import Pearson
from cqa_spark.evaluation.ranked_query import RankedQuery, on_unit_range
from cqa_spark.evaluation.resampling import Resampling
from cqa_spark.evaluation.score_files import ScoredPairs, read_gold, scored_pairs
from cqa_spark.evaluation.significance import holm, williams_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTED_MEAN, MEAN = "weighted mean", "mean"
"""Over sets: weighted by their scored pairs, as in 2012-2016, and unweighted, as over the tracks of 2017."""


@dataclass(frozen=True)
class SetCorrelation:
    """Pearson's correlation, from -1 to 1, of one file with the scored pairs of one set, or its mean over all sets."""

    file: str
    set: str
    pairs: int
    pearson: float


@dataclass(frozen=True)
class MeanOfSets(Measure):
    """Mean of the correlations of several sets; a pair has nonzero components only at the position of its set.

    Attributes:
        sets: number of sets.
        weighted: whether sets are weighted by their number of pairs.
    """

    name = "mean of sets"
    about = "mean of the correlations of sets"
    source = "Agirre et al. 2016, SemEval-2016 Task 1, section 3; Cer et al. 2017, section 4"

    sets: int
    weighted: bool

    def components(self, query: RankedQuery, place: int = 0) -> tuple[float, ...]:
        """The components of the correlation, at the position of the query's set.

        Args:
            query: the pair.
            place: position of its set, from 0.
        """
        own = Pearson().components(query)
        return (0.0,) * (place * len(own)) + own + (0.0,) * ((self.sets - place - 1) * len(own))

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """Correlate each set, and average."""
        width = len(sums) // self.sets
        of_sets = [sums[start : start + width] for start in range(0, len(sums), width)]
        values = [Pearson().aggregate(own, queries) * self._weight(own[0], queries) for own in of_sets]
        return sum(values[1:], start=values[0])

    def __str__(self) -> str:
        """The name of the mean."""
        return WEIGHTED_MEAN if self.weighted else MEAN

    def _weight(self, pairs: Sum, queries: int) -> Sum | float:
        return pairs / queries if self.weighted else 1 / self.sets


def evaluate_scores(gold: Path, predictions: Sequence[Path]) -> list[SetCorrelation]:
    """Correlate prediction files with gold scores, as the official scorers of STS 2012-2017 do.

    Args:
        gold: file of gold scores, or folder with one for each set.
        predictions: files of predictions, or folders with one for each set.

    Returns:
        For each prediction a row for each set and, where there are several, for the means over the sets.

    Raises:
        InputError: a file cannot be read, or the files do not belong together.
    """
    return [row for prediction in predictions for row in _correlations(gold, prediction)]


def mean_correlation(files: Sequence[tuple[Path, Path]], *, weighted: bool) -> tuple[float, float]:
    """The mean of the correlations with one or more sets, and its standard error over pairs, by bootstrap.

    Args:
        files: gold and predictions of each set.
        weighted: whether sets are weighted by their number of scored pairs.

    Raises:
        InputError: a file cannot be read, the files do not belong together, or the gold is of several sets.
    """
    sets = [_pairs_of_set(gold, prediction) for gold, prediction in files]
    mean = MeanOfSets(len(sets), weighted)
    components = _components([sets], mean)
    error = bootstrap_intervals({mean: components})[mean].standard_error[0]
    return mean.total(components[0]), float(error)


def compare_scores(gold: Path, predictions: Sequence[Path], drawn: Resampling) -> list[RankingComparison]:
    """Correlations with intervals, and two tests of each file against the first: paired randomization, and Williams'.

    Args:
        gold: file of gold scores, or folder with one for each set.
        predictions: files of predictions, or folders with one for each set.
        drawn: parameters of the resampling.

    Returns:
        Set by set, then the means over several sets; the files in the order given.

    Raises:
        InputError: a file cannot be read, or the files do not belong together.
    """
    import numpy as np

    files = [*map(str, predictions)]
    by_file = [_sets(gold, prediction) for prediction in predictions]
    found = []
    for name in by_file[0]:
        components: dict[Measure, NDArray[np.float64]] = {
            Pearson(): np.array([Pearson().components_of(sets[name]) for sets in by_file])
        }
        compared = list(compare_components(components, files, drawn))
        williams = [1.0, *holm(np.array(list(_williams([sets[name] for sets in by_file]))))]
        found += [
            replace(each, measure=f"Pearson {name}", williams=float(p_value))
            for each, p_value in zip(compared, williams, strict=True)
        ]
    if len(by_file[0]) > 1:
        means = _mean_components(by_file)
        found += compare_components(means, files, drawn)
    return found


def _sets(gold: Path, prediction: Path) -> dict[str, ScoredPairs]:
    return {each.name: scored_pairs(each, prediction) for each in read_gold(gold)}


def _correlations(gold: Path, prediction: Path) -> Iterator[SetCorrelation]:
    sets = _sets(gold, prediction)
    measure = Pearson()
    for name, pairs in sets.items():
        value = measure.total(measure.components_of(pairs))
        yield SetCorrelation(str(prediction), name, len(pairs), value)
    if len(sets) > 1:
        for mean, (components,) in _mean_components([sets]).items():
            value = mean.total(components)
            yield SetCorrelation(str(prediction), str(mean), len(components), value)


def _williams(by_file: Sequence[ScoredPairs]) -> Iterator[float]:
    """The p-value of each file against the first, on one set."""
    import numpy as np

    gold = [query.ranked[0].gain for query in by_file[0]]
    scores = [[query.ranked[0].score for query in pairs] for pairs in by_file]
    constant = [len(set(each)) == 1 for each in (gold, *scores)]
    with np.errstate(invalid="ignore"):
        correlations = np.where(np.logical_or.outer(constant, constant), 0.0, np.corrcoef([gold, *scores]))
    for other in range(2, len(scores) + 1):
        of_gold, between = correlations[0], float(correlations[1, other])
        yield williams_test(float(of_gold[other]), float(of_gold[1]), between, len(gold))


def _pairs_of_set(gold: Path, prediction: Path) -> ScoredPairs:
    sets = _sets(gold, prediction)
    if len(sets) != 1:
        raise InputError(f"{gold}: {len(sets)} sets of pairs", "name the gold file of one set")
    return next(iter(sets.values()))


def _mean_components(by_file: Sequence[dict[str, ScoredPairs]]) -> dict[Measure, NDArray[np.float64]]:
    means = [MeanOfSets(len(by_file[0]), weighted) for weighted in (True, False)]
    return {mean: _components([list(sets.values()) for sets in by_file], mean) for mean in means}


def _components(by_file: Sequence[Sequence[ScoredPairs]], mean: MeanOfSets) -> NDArray[np.float64]:
    """Components of the pairs of all sets, shape (files, pairs, components)."""
    import numpy as np

    return np.array(
        [
            [mean.components(pair, place) for place, pairs in enumerate(sets) for pair in on_unit_range(pairs)]
            for sets in by_file
        ]
    )
