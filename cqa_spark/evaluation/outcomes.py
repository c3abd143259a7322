"""Wins and losses of systems against each other, over the same queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cqa_spark.evaluation.paired_systems import MeasuredGroup

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


def count_wins(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The number of queries on which a system is better than another, for each pair of systems and each measure.

    Args:
        values: of single queries, shape (queries, systems, measures).

    Returns:
        Shape (systems, systems, measures): the first is better than the second.
    """
    import numpy as np

    return np.stack([(values[:, [system]] > values).sum(axis=0) for system in range(values.shape[1])])


def with_outcomes(tests: pd.DataFrame, wins: NDArray[np.int64], measured: MeasuredGroup) -> pd.DataFrame:
    """Tests with the numbers of queries on which the system is better, worse and equal; null without a baseline.

    Args:
        tests: result of ``compare_systems``.
        wins: result of ``count_wins``.
        measured: the compared systems and measures.
    """
    import pandas as pd

    tested = tests[tests["baseline"].notna()]
    ours, theirs = (pd.Index(measured.systems).get_indexer(pd.Index(tested[name])) for name in ("system", "baseline"))
    measure = pd.Index([str(each) for each in measured.measures]).get_indexer(pd.Index(tested["measure"]))
    won, lost = wins[ours, theirs, measure], wins[theirs, ours, measure]
    outcomes = tested[[]].assign(wins=won, losses=lost, ties=measured.queries - won - lost)
    return tests.join(outcomes).astype(dict.fromkeys(outcomes, "Int32"))
