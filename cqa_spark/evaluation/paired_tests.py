"""Paired tests of several systems: each against a baseline, and the best against the second best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.resampling import Components, Resampling
from cqa_spark.evaluation.significance import holm, randomization_test

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


def paired_tests(
    systems: Sequence[str],
    components: Components,
    totals: Mapping[Measure, NDArray[np.float64]],
    baseline: str,
    drawn: Resampling,
    best_by: str | None = None,
) -> pd.DataFrame:
    """Test each system against the baseline, and the best system against the second best.

    Args:
        systems: names of the systems.
        components: by measure, components of each system's queries or groups of queries, shape (systems, queries,
            components).
        totals: by measure, the measure of each system over all queries, shape (systems,).
        baseline: one of the systems.
        drawn: parameters of the resampling.
        best_by: display name of the measure by which the best system is selected; it is tested against the second best
            unless one of them is the baseline. None for no such test.

    Returns:
        A row for each test: ``measure``, ``system``, ``baseline``, ``difference`` and ``p_value``. The p-values of the
        systems against the baseline are adjusted for their number within each measure.
    """
    import pandas as pd

    others = [name for name in systems if name != baseline]
    found = [_tests(systems, components, totals, others, baseline, drawn)]
    best = _best_two(systems, totals, best_by)
    if len(best) > 1 and baseline not in best:
        found.append(_tests(systems, components, totals, best[:1], best[1], drawn))
    return pd.concat(found, ignore_index=True)


def _best_two(systems: Sequence[str], totals: Mapping[Measure, NDArray[np.float64]], measure: str | None) -> list[str]:
    """The two best systems, the best first; ties are ordered by name. None if the measure is undefined."""
    values = next((each for name, each in totals.items() if str(name) == measure), None)
    if values is None:
        return []
    return [name for _, name in sorted(zip(-values, systems, strict=True))[:2]]


def _tests(
    systems: Sequence[str],
    components: Components,
    totals: Mapping[Measure, NDArray[np.float64]],
    others: Sequence[str],
    baseline: str,
    drawn: Resampling,
) -> pd.DataFrame:
    import pandas as pd

    base, places = systems.index(baseline), [systems.index(name) for name in others]
    p_values = randomization_test(
        {measure: each[places] for measure, each in components.items()},
        {measure: each[base] for measure, each in components.items()},
        resamples=drawn.resamples,
        seed=drawn.seed,
    )
    return pd.concat(
        pd.DataFrame(
            {
                "measure": str(measure),
                "system": others,
                "baseline": baseline,
                "difference": totals[measure][places] - totals[measure][base],
                "p_value": holm(each),
            }
        )
        for measure, each in p_values.items()
    )
