"""The rows of a summary: the tests of a group of queries, with wins and losses, the group's key and resampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as T

from cqa_spark.evaluation.compare_systems import ComparedSystems
from cqa_spark.evaluation.paired_systems import MeasuredGroup
from cqa_spark.evaluation.resampling import Resampling

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True)
class GroupSummary:
    """How each group of queries is summarised.

    Attributes:
        compared: the systems to test.
        drawn: parameters of the resampling.
        keys: columns that identify a group of queries.
        schema: columns of the summary: a row for each test, and one for each measure of an untested system.
    """

    compared: ComparedSystems
    drawn: Resampling
    keys: tuple[str, ...]
    schema: T.StructType

    def rows(
        self, key: Sequence[Any], tests: pd.DataFrame, wins: NDArray[np.int64], measured: MeasuredGroup
    ) -> pd.DataFrame:
        """The rows of a group.

        Args:
            key: its key.
            tests: result of ``compare_systems``.
            wins: result of ``count_wins``.
            measured: its systems and measures.
        """
        with_key = with_outcomes(tests, wins, measured).assign(**dict(zip(self.keys, key, strict=True)))
        return with_key.assign(queries=measured.queries, **self.drawn._asdict())


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
