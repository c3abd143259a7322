"""Bootstrap intervals, and what they share with the randomization test: parameters, groups of queries, exact ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cqa_spark.evaluation.measure import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


RESAMPLES = 9999
"""Default number of resamples; with the data itself that makes 10,000."""

SEED = 20160616
"""Default seed, that of ``resampling.seed`` in the settings."""

CONFIDENCE = 0.95
"""Default coverage of an interval."""


MANY = 50_000
"""Number of queries of a task and split above which groups of queries are resampled."""

GROUPS = 10_000
"""Number of groups. The width of an interval then varies by 0.7 % between assignments (standard deviation)."""


class Resampling(NamedTuple):
    """Number of resamples, seed, and coverage of the intervals, of intervals and tests."""

    resamples: int = RESAMPLES
    seed: int = SEED
    confidence: float = CONFIDENCE


Components = Mapping[Measure, "NDArray[np.float64]"]
"""By measure, additive components of queries, shape (..., components). All measures use the same resamples."""

_CELLS = 4_000_000
"""Number of queries times resamples in memory at once."""

_DECIMALS = 12
"""Sums that differ only by the order of their terms are equal up to these decimals."""


def batch_size(queries: int, resamples: int) -> int:
    """Number of resamples in memory at once, which keeps memory below about 200 MB for any number of queries."""
    return max(1, min(resamples, _CELLS // queries))


def in_groups(
    components: Components, seed: int, topics: NDArray[np.int64] | None = None
) -> tuple[Components, NDArray[np.float64] | None]:
    """The components to resample: of queries, or sums over topics; of more than ``MANY``, sums over random groups.

    Args:
        components: by measure, shape (systems, queries, components).
        seed: seed of the groups.
        topics: a number for the topic of each query, shape (queries,); None if each query has its own.

    Returns:
        By measure, shape (systems, queries, topics or groups, components); and the number of queries in each topic or
        group, None for queries.
    """
    import numpy as np

    queries = next(iter(components.values())).shape[1]
    # Topics are numbered from 0, shape (queries,).
    _, topic = np.unique(np.arange(queries) if topics is None else topics, return_inverse=True)
    number = int(topic.max()) + 1
    if number == queries <= MANY:
        return components, None
    if number == queries:
        # The first queries of a random order are the first group, and so on; sizes differ by one at most.
        group = np.empty(queries, dtype=np.int64)
        bounds = np.arange(GROUPS + 1) * queries // GROUPS
        group[np.random.default_rng(seed).permutation(queries)] = np.repeat(np.arange(GROUPS), np.diff(bounds))
    elif number > MANY:
        group = (np.random.default_rng(seed).permutation(number) * GROUPS // number)[topic]
    else:
        group = topic
    sizes = np.bincount(group)
    sums = {}
    for measure, of_systems in components.items():
        systems, _, width = of_systems.shape
        totals = np.zeros((len(sizes), systems * width))
        add_by_group(totals, group, of_systems.transpose(1, 0, 2).reshape(queries, -1))
        sums[measure] = np.ascontiguousarray(totals.reshape(len(sizes), systems, width).transpose(1, 0, 2))
    return sums, sizes.astype(np.float64)


def add_by_group(sums: NDArray[np.float64], groups: NDArray[np.int64], rows: NDArray[np.float64]) -> None:
    """Add the rows of queries to the sums of their groups.

    Args:
        sums: shape (groups, columns), in C order; changed in place.
        groups: number of each query's group, shape (queries,).
        rows: shape (queries, columns).
    """
    import numpy as np

    # Single indices of the flattened sums, which NumPy adds several times faster than rows.
    columns = sums.shape[1]
    cells = groups[:, None] * columns + np.arange(columns)
    np.add.at(sums.reshape(-1), cells.ravel(), rows.ravel())


def joined(components: Components) -> NDArray[np.float64]:
    """The components of all measures, one after the other: shape (..., components of all)."""
    import numpy as np

    return np.concatenate(list(components.values()), axis=-1)


def aggregated(components: Components, sums: NDArray[np.float64], queries: int) -> NDArray[np.float64]:
    """Every measure of many sums at once.

    Args:
        components: measures with their components.
        sums: summed components of all measures in the order of ``joined``, shape (..., components of all).
        queries: number of queries in each sum.

    Returns:
        Fractions, shape (measures, ...), rounded to 12 decimals, so that sums that differ only by the order of their
        terms tie.
    """
    import numpy as np

    ends = np.cumsum([of_measure.shape[-1] for of_measure in components.values()])
    parts = np.split(sums, ends[:-1], axis=-1)
    fractions = [
        measure.aggregate(list(np.moveaxis(part, -1, 0)), queries)
        for measure, part in zip(components, parts, strict=True)
    ]
    return np.round(np.stack(fractions), _DECIMALS)


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
        # How often each resample has each query, shape (resamples, queries): the product with it sums components.
        row = np.arange(len(drawn))[:, None] * queries
        counts = np.bincount((drawn + row).ravel(), minlength=len(drawn) * queries)
        counts = counts.reshape(len(drawn), queries).astype(np.float64)
        sums = (counts @ flat).reshape(len(drawn), systems, width)
        number = queries
        if sizes is not None:
            # The mean query of the drawn groups; measures that are not means over queries do not depend on the number.
            sums, number = sums / (counts @ sizes)[:, None, None], 1
        totals = aggregated(components, sums, number)  # (measures, resamples, systems)
        return np.moveaxis(with_differences(totals), 1, -1)

    result = stats.bootstrap(
        (np.arange(queries),),
        resampled,
        n_resamples=resamples,
        batch=batch_size(queries, resamples),
        vectorized=True,
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    drawn = zip(*result.confidence_interval, result.standard_error, strict=True)
    return {measure: Intervals(*of_measure) for measure, of_measure in zip(components, drawn, strict=True)}
