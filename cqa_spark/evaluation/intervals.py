"""Bootstrap confidence intervals over queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED, Components, aggregated, batch_size, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Intervals(NamedTuple):
    """Interval bounds and standard errors of one measure: of systems, then of differences between systems.

    All are fractions of shape (systems + differences,).
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    standard_error: NDArray[np.float64]


def bootstrap_intervals(
    components: Components,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    sizes: NDArray[np.float64] | None = None,
    differences: Sequence[tuple[int, int]] = (),
) -> dict[Measure, Intervals]:
    """Percentile bootstrap intervals of measures, by sampling queries with replacement.

    All systems and measures use the same resamples. With a single query, the interval is the value itself.

    Args:
        components: by measure, additive components of each system's queries, shape (systems, queries, components);
            queries are sampled, then aggregated.
        resamples: number of resamples.
        seed: seed of the resampling.
        confidence: coverage, such as 0.95.
        sizes: if the components are sums over groups of queries, the number of queries in each group; groups are
            sampled instead of queries.
        differences: pairs of systems, by position, whose difference has an interval, too: the first minus the second.

    Returns:
        By measure, the bounds of the intervals, and the standard errors.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 6 (standard errors) and 13 (percentile
        method).
    """
    import numpy as np
    from scipy import stats

    together = joined(components)
    systems, queries, width = together.shape
    first, second = np.array(differences, dtype=np.int64).reshape(-1, 2).T

    def with_differences(totals: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([totals, totals[..., first] - totals[..., second]], axis=-1)

    if queries == 1:
        alone = with_differences(aggregated(components, together[:, 0, :], 1))
        nothing = np.zeros(alone.shape[-1])
        return {measure: Intervals(value, value, nothing) for measure, value in zip(components, alone, strict=True)}
    flat = together.transpose(1, 0, 2).reshape(queries, systems * width)

    def resampled(drawn: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        counts = _draw_counts(drawn, queries)
        sums = (counts @ flat).reshape(len(drawn), systems, width)
        number = queries
        if sizes is not None:
            # The mean query of the drawn groups; measures that are not means over queries do not depend on the number.
            sums, number = sums / (counts @ sizes)[:, None, None], 1
        totals = aggregated(components, sums, number)  # (measures, resamples, systems)
        return np.moveaxis(with_differences(totals), 1, -1)

    found = stats.bootstrap(
        (np.arange(queries),),
        resampled,
        n_resamples=resamples,
        batch=batch_size(queries, resamples),
        vectorized=True,
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    drawn = zip(*found.confidence_interval, found.standard_error, strict=True)
    return {measure: Intervals(*each) for measure, each in zip(components, drawn, strict=True)}


def _draw_counts(drawn: NDArray[np.int64], queries: int) -> NDArray[np.float64]:
    """Counts of each query in each resample, shape (resamples, queries); a product with it sums sampled components."""
    import numpy as np

    row = np.arange(len(drawn))[:, None] * queries
    counts = np.bincount((drawn + row).ravel(), minlength=len(drawn) * queries)
    return counts.reshape(len(drawn), queries).astype(np.float64)
