"""The order of candidates: what comes first, then scores, then initial ranks, then ids."""

import numpy as np
import pyarrow as pa

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.rankings import best_first

_CANDIDATES = Candidates(
    pa.table(
        {
            "site": ["a"] * 5, "task": ["t"] * 5, "query_id": ["1", "1", "1", "2", "2"],
            "candidate_id": ["10", "11", "12", "20", "21"], "initial_rank": [2, 1, 3, 1, 2],
        }
    ),
    (),
    np.empty((5, 0)),
)  # fmt: skip
_SCORES = np.array([0.5, 0.5, 0.9, 0.1, 0.2])


def test_ties_are_broken_by_initial_rank() -> None:
    assert best_first(_CANDIDATES, _SCORES).tolist() == [2, 1, 0, 4, 3]


def test_what_is_first_precedes_every_score_of_its_query() -> None:
    accepted = np.array([True, False, False, True, False])
    assert best_first(_CANDIDATES, _SCORES, accepted).tolist() == [0, 2, 1, 3, 4]
