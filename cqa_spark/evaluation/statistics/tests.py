"""Several systems on the same queries: measures with intervals, paired tests between systems, Holm's adjustment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.statistics.bootstrap import (
    RESAMPLES,
    SEED,
    Components,
    Resampling,
    aggregated,
    batch_size,
    bootstrap_intervals,
    joined,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


class ComparedSystems(NamedTuple):
    """The systems to test.

    Attributes:
        baselines: every other system is tested against each of them, except those before it; those that were not
            evaluated are ignored.
        best_by: display name of the measure by which the best system is selected; it is tested against the second best
            unless one of them is a baseline. None for no such test.
    """

    baselines: tuple[str, ...]
    best_by: str | None = None


_COLUMNS = [
    "measure", "system", "value", "low", "high", "baseline", "difference", "difference_low", "difference_high",
    "p_value",
]  # fmt: skip


def compare_systems(
    systems: Sequence[str],
    components: Components,
    totals: Mapping[Measure, NDArray[np.float64]],
    compared: ComparedSystems,
    drawn: Resampling,
    sizes: NDArray[np.float64] | None = None,
) -> pd.DataFrame:
    """Every measure of every system with its interval, and every test with the interval of the difference.

    Args:
        systems: names of the systems.
        components: by measure, components of each system's queries or groups of queries, shape (systems, queries,
            components).
        totals: by measure, the measure of each system over all queries, shape (systems,).
        compared: the systems to test.
        drawn: parameters of the resampling.
        sizes: number of queries in each group of queries; None for single queries.

    Returns:
        A row for each test, and one for each measure of an untested system: ``measure``, ``system``, ``value``,
        ``low``, ``high``, ``baseline``, ``difference``, ``difference_low``, ``difference_high`` and ``p_value``. The
        p-values against one baseline are adjusted for their number within each measure. Measures that are undefined,
        for lack of a relevant candidate, have no rows.
    """
    import numpy as np
    import pandas as pd

    # The last component of such a measure counts relevant candidates: without any, it is undefined.
    components = {
        measure: values for measure, values in components.items() if not measure.needs_relevant or values[..., -1].any()
    }
    if not components:
        return pd.DataFrame(columns=_COLUMNS)
    totals = {measure: totals[measure] for measure in components}
    families = list(_families(systems, totals, compared))
    pairs = [(systems.index(other), systems.index(family.baseline)) for family in families for other in family.others]
    ours, theirs = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    ends = bootstrap_intervals(components, **drawn._asdict(), sizes=sizes, differences=pairs)
    # Shape (measures, systems + tests).
    low = np.stack([ends[measure].low for measure in components])
    high = np.stack([ends[measure].high for measure in components])
    p_values: dict[Measure, list[NDArray[np.float64]]] = {measure: [np.empty(0)] for measure in components}
    for family in families:
        base, members = systems.index(family.baseline), [systems.index(name) for name in family.others]
        of_family = randomization_test(
            {measure: values[members] for measure, values in components.items()},
            {measure: values[base] for measure, values in components.items()},
            resamples=drawn.resamples,
            seed=drawn.seed,
        )
        for measure in components:
            p_values[measure].append(holm(of_family[measure]))
    number, named, names = len(systems), np.array(systems, dtype=object), [str(measure) for measure in components]
    measured = pd.DataFrame(
        {
            "measure": np.repeat(names, number),
            "system": np.tile(named, len(names)),
            "value": np.concatenate([totals[measure] for measure in components]),
            "low": low[:, :number].ravel(),
            "high": high[:, :number].ravel(),
        }
    )
    tests = pd.DataFrame(
        {
            "measure": np.repeat(names, len(pairs)),
            "system": np.tile(named[ours], len(names)),
            "baseline": np.tile(named[theirs], len(names)),
            "difference": np.concatenate([totals[measure][ours] - totals[measure][theirs] for measure in components]),
            "difference_low": low[:, number:].ravel(),
            "difference_high": high[:, number:].ravel(),
            "p_value": np.concatenate([values for measure in components for values in p_values[measure]]),
        }
    )
    return measured.merge(tests, on=["measure", "system"], how="left")


class _Family(NamedTuple):
    """Tests whose p-values are adjusted together: several systems against one."""

    others: list[str]
    baseline: str


def _families(
    systems: Sequence[str], totals: Mapping[Measure, NDArray[np.float64]], compared: ComparedSystems
) -> Iterator[_Family]:
    baselines = [name for name in compared.baselines if name in systems]
    for number, baseline in enumerate(baselines, start=1):
        yield _Family([name for name in systems if name not in baselines[:number]], baseline)
    for measure, values in totals.items():
        if str(measure) == compared.best_by:
            # The best systems first; ties are ordered by name.
            best = [name for _, name in sorted(zip(-values, systems, strict=True))[:2]]
            if len(best) > 1 and not {*baselines} & {*best}:
                yield _Family(best[:1], best[1])


def count_wins(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The number of queries on which a system is better than another, for each pair of systems and each measure.

    Args:
        values: of single queries, shape (queries, systems, measures).

    Returns:
        Shape (systems, systems, measures): the first is better than the second.
    """
    import numpy as np

    _, systems, measures = values.shape
    wins = np.empty((systems, systems, measures), dtype=np.int64)
    for system in range(systems):
        wins[system] = (values[:, [system]] > values).sum(axis=0)
    return wins


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

    # Components of all measures, one after the other: shapes (systems, queries, columns) and (queries, columns).
    ours, theirs = (
        joined({measure: measure.on_one_scale(values) for measure, values in components.items()})
        for components in (systems, baseline)
    )
    queries = theirs.shape[0]
    if queries == 1 or len(ours) == 0:
        return {measure: np.ones(len(ours)) for measure in systems}
    gain = ours - theirs
    our_sums, their_sums = ours.sum(axis=1), theirs.sum(axis=0)

    def difference(swapped: NDArray[np.float64], _: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        # What each resample moves from a system's sums to the baseline's, shape (resamples, systems, columns).
        moved = np.tensordot(swapped, gain, axes=(-1, 1))
        gained = aggregated(systems, our_sums - moved, queries) - aggregated(systems, their_sums + moved, queries)
        return np.moveaxis(gained, 0, -1)  # (resamples, systems, measures)

    # The permutation swaps the components of a query between both systems: 0 keeps them, 1 swaps them.
    sides = np.zeros(queries), np.ones(queries)
    result = stats.permutation_test(
        sides,
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=batch_size(queries, resamples),
        rng=np.random.default_rng(seed),
    )
    return dict(zip(systems, np.moveaxis(np.asarray(result.pvalue), -1, 0), strict=True))


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

    >>> round(williams_test(0.8, 0.7, between=0.6, pairs=50), 4)
    0.1761
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

    >>> import numpy as np
    >>> holm(np.array([0.01, 0.5, 0.02])).tolist()
    [0.03, 0.5, 0.04]
    """
    import numpy as np

    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return adjusted
