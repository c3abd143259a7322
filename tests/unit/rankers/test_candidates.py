"""The order of the candidates of queries in memory."""

import numpy as np
import pyarrow as pa

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.rankings import best_first


def test_ties_are_broken_by_initial_rank_then_id_within_each_query() -> None:
    columns = {"site": ["s"] * 6, "task": ["t"] * 6, "query_id": ["q", *["r"] * 4, "u"]}
    examples = pa.table({**columns, "candidate_id": ["z", "a", "b", "c", "d", "y"], "initial_rank": [1, 2, 2, 1, 9, 1]})
    candidates = Candidates(examples, (), np.zeros((6, 0)))
    assert best_first(candidates, np.array([0.1, 0.5, 0.5, 0.5, 0.9, 0.7])).tolist() == [0, 4, 3, 1, 2, 5]
