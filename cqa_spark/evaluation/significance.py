"""Tests of the difference between two systems, by randomization and Williams' for correlations; Holm's adjustment."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.resampling import RESAMPLES, SEED, Components, aggregated, batch_size, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def randomization_test(
    systems: Components, baseline: Components, *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[Measure, NDArray[np.float64]]:
    """P-values of the differences between each system and the baseline.

    Each resample swaps the two systems' components on random queries, each with probability 1/2, then aggregates both
    sides. The test is therefore valid for measures that are not means over queries. All systems and measures use the
    same swaps. With few queries, every possible swap is used once instead.

    Args:
        systems: by measure, components of the systems, shape (systems, queries, components).
        baseline: by the same measures, components of the baseline on the same queries, shape (queries, components).
        resamples: number of random swaps.
        seed: seed of the swaps.

    Returns:
        By measure, two-sided p-values, shape (systems,); 1 for a system that equals the baseline, and on a single
        query.

    Source:
        Smucker, Allan and Carterette 2007, A Comparison of Statistical Significance Tests for Information Retrieval
        Evaluation, CIKM, section 3.1; the p-value counts the data itself (Phipson and Smyth 2010).
    """
    import numpy as np
    from scipy import stats

    ours, theirs = (
        joined({measure: measure.on_one_scale(each) for measure, each in found.items()})
        for found in (systems, baseline)
    )
    queries = theirs.shape[0]
    if queries == 1 or len(ours) == 0:
        return {measure: np.ones(len(ours)) for measure in systems}
    gain = ours - theirs
    our_sums, their_sums = ours.sum(axis=1), theirs.sum(axis=0)

    def difference(swapped: NDArray[np.float64], _: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        moved = np.tensordot(swapped, gain, axes=(-1, 1))
        gained = aggregated(systems, our_sums - moved, queries) - aggregated(systems, their_sums + moved, queries)
        return np.moveaxis(gained, 0, -1)  # (resamples, systems, measures)

    # The permutation swaps the components of a query between both systems: 0 keeps them, 1 swaps them.
    sides = np.zeros(queries), np.ones(queries)
    found = stats.permutation_test(
        sides,
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=batch_size(queries, resamples),
        rng=np.random.default_rng(seed),
    )
    return dict(zip(systems, np.moveaxis(np.asarray(found.pvalue), -1, 0), strict=True))


def williams_test(first: float, second: float, between: float, pairs: int) -> float:
    """The two-sided p-value that two systems correlate equally with the gold, whose scores correlate with each other.

    Args:
        first: correlation of the first system with the gold, from -1 to 1.
        second: correlation of the second system with the gold.
        between: correlation of both systems' scores.
        pairs: number of scored pairs.

    Returns:
        1 if the correlations are equal, or there are fewer than four pairs.

    Source:
        Williams 1959, The comparison of regression variables; Graham and Baldwin 2014, Testing for Significance of
        Increased Correlation with Human Judgment, EMNLP, equation 1. The statistic has n - 3 degrees of freedom.
    """
    from scipy import stats

    if first == second or pairs <= 3:
        return 1.0
    determinant = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    spread = 2 * determinant * (pairs - 1) / (pairs - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    if spread <= 0:
        return 0.0
    statistic = (first - second) * sqrt((pairs - 1) * (1 + between) / spread)
    return float(2 * stats.t.sf(abs(statistic), pairs - 3))


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust the p-values of several tests to control the family-wise error rate.

    Args:
        p_values: shape (tests,).

    Returns:
        The adjusted p-values, in the same order; a single one is unchanged.

    Source:
        Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.
    """
    import numpy as np

    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return adjusted
