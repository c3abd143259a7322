"""A measure on each set of a collection of sets, and its means over the sets, as the STS tasks report them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.statistics.bootstrap import CONFIDENCE, RESAMPLES, SEED, batch_size
from cqa_spark.evaluation.statistics.tests import holm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTED_MEAN = "mean by pairs"
"""Mean over the sets, each weighted by its number of pairs: the official score of STS 2012 to 2016."""

MEAN = "mean of sets"
"""Unweighted mean over the sets: the official score of STS 2017, whose sets are tracks."""

_DECIMALS = 12
"""Number of decimals for ties: equal measures tie for any scale of the scores."""


class SetScore(NamedTuple):
    """The measure of one system on a set, or its mean over the sets.

    Attributes:
        system: name of the system.
        set_name: name of the set; ``WEIGHTED_MEAN`` or ``MEAN``.
        value: the measure, a fraction.
        low: lower end of its bootstrap interval.
        high: upper end of its bootstrap interval.
        queries: pairs of the set, or of all sets.
        difference: the value minus the baseline's; 0 for the baseline.
        p_value: two-sided, of a paired bootstrap test against the baseline, adjusted by Holm for the number of systems;
            1 for the baseline.
    """

    system: str
    set_name: str
    value: float
    low: float
    high: float
    queries: int
    difference: float
    p_value: float


def score_sets(
    measure: Measure,
    sets: Mapping[str, Mapping[str, NDArray[np.float64]]],
    baseline: str,
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> list[SetScore]:
    """Evaluate systems on each set and over all sets.

    Pairs are sampled with replacement within each set. All systems use the same resamples, so the share of resamples
    in which a difference has the opposite sign gives the p-value of a paired test.

    Args:
        measure: such as Pearson's correlation.
        sets: by set and system, additive components of the queries, shape (queries, components); a set's systems have
            the same queries in the same order.
        baseline: system to compare the others with.
        resamples: number of resamples.
        confidence: coverage of the intervals.
        seed: seed of the resampling.

    Returns:
        For each set, then for both means if there are several sets, the systems in their order.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 (percentile method) and 16 (tests).
    """
    import numpy as np

    draw = np.random.default_rng(seed)
    sizes = {name: len(next(iter(systems.values()))) for name, systems in sets.items()}
    # By set and system, the measure, and the measure on every resample.
    values: dict[str, dict[str, float]] = {}
    drawn: dict[str, dict[str, NDArray[np.float64]]] = {}
    for name, systems in sets.items():
        values[name] = {system: measure.total(rows.tolist()) for system, rows in systems.items()}
        drawn[name] = _drawn(measure, systems, sizes[name], draw, resamples)
    scores = []
    for name in sets:
        scores += _scores(name, values[name], drawn[name], baseline, sizes[name], confidence)
    if len(sets) > 1:
        for mean, weights in ((WEIGHTED_MEAN, list(sizes.values())), (MEAN, [1] * len(sets))):
            of_all, draws = (_mean(by_set, weights) for by_set in (values, drawn))
            scores += _scores(mean, of_all, draws, baseline, sum(sizes.values()), confidence)
    return scores


def _drawn(
    measure: Measure, systems: Mapping[str, NDArray[np.float64]], pairs: int, draw: np.random.Generator, resamples: int
) -> dict[str, NDArray[np.float64]]:
    """The measure of each system on every resample."""
    import numpy as np

    batches: dict[str, list[NDArray[np.float64]]] = {system: [] for system in systems}
    batch = batch_size(pairs, resamples)
    for start in range(0, resamples, batch):
        # How often each resample has each pair, shape (resamples, pairs).
        counts = draw.multinomial(pairs, np.full(pairs, 1 / pairs), size=min(batch, resamples - start))
        for system, rows in systems.items():
            batches[system].append(measure.aggregate(list((counts @ rows).T), pairs))
    return {system: np.concatenate(values) for system, values in batches.items()}


def _mean(by_set: Mapping[str, Mapping[str, Any]], weights: Sequence[int]) -> dict[str, Any]:
    """The mean over the sets, by system, of values or of resamples."""
    import numpy as np

    systems = next(iter(by_set.values()))
    return {
        system: np.average([values[system] for values in by_set.values()], axis=0, weights=weights)
        for system in systems
    }


def _scores(
    name: str,
    values: Mapping[str, float],
    drawn: Mapping[str, NDArray[np.float64]],
    baseline: str,
    queries: int,
    confidence: float,
) -> list[SetScore]:
    import numpy as np

    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    others = [system for system in values if system != baseline]
    p_values = []
    for system in others:
        # Twice the share of resamples on the rarer side of 0, counting the data itself as a resample.
        differences = (drawn[system] - drawn[baseline]).round(_DECIMALS)
        rarer = min((differences <= 0).sum(), (differences >= 0).sum())
        p_values.append(min(1.0, 2 * (rarer + 1) / (len(differences) + 1)))
    adjusted = dict(zip(others, holm(np.array(p_values)).tolist(), strict=True))
    scores = []
    for system, value in values.items():
        low, high = np.quantile(drawn[system], ends)
        difference, p_value = float(value - values[baseline]), adjusted.get(system, 1.0)
        scores.append(SetScore(system, name, float(value), float(low), float(high), queries, difference, p_value))
    return scores
