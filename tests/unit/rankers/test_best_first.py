"""The order of one query's candidates in memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.rankings import best_first


def test_ties_are_broken_by_initial_rank_then_id() -> None:
    examples = pa.table({"candidate_id": ["b", "a", "d", "c"], "initial_rank": [2, 2, 9, 1]})
    candidates = Candidates(examples, (), np.zeros((4, 0)))
    assert best_first(candidates, np.array([0.5, 0.5, 0.9, 0.5])) == [2, 3, 1, 0]
