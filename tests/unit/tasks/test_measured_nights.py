"""The hits of orders on literal nights."""

import numpy as np
import pyarrow as pa

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.tasks.preferred_answer.backtest import FEATURES, measured_nights


def test_a_night_is_a_row_with_the_hits_of_every_order() -> None:
    examples = pa.table(
        {
            "site": ["s"] * 5,
            "task": ["t"] * 5,
            "query_id": ["1@a", "1@a", "1@b", "1@b", "1@b"],
            "thread_id": ["1"] * 5,
            "candidate_id": ["x", "y", "x", "y", "z"],
            "initial_rank": pa.array([1, 2, 1, 2, 3], pa.int32()),
            "accepted": [False, True, False, True, False],
            "age_days": pa.array([1, 1, 2, 2, 2], pa.int32()),
        }
    )
    up, down = np.array([0, 1, 2, 1, 2]), np.array([0, 0, 1, 0, 0])
    candidates = Candidates(examples, FEATURES, np.column_stack([up, down, up - down]).astype(np.float64))
    rows = measured_nights(candidates, {"latest": np.arange(5.0)})
    assert rows.to_pylist(maps_as_pydicts="strict") == [
        {
            **{"site": "s", "task": "t", "query_id": "1@a", "thread_id": "1", "age_days": 1, "votes": 1},
            "hits": {"latest": 1.0, "votes": 1.0, "random": 0.5},
        },
        {
            **{"site": "s", "task": "t", "query_id": "1@b", "thread_id": "1", "age_days": 2, "votes": 6},
            "hits": {"latest": 0.0, "votes": 0.0, "random": 1 / 3},
        },
    ]


def test_without_votes_no_night_is_measured() -> None:
    assert measured_nights(Candidates(pa.table({}), (), np.zeros((0, 0))), {}).num_rows == 0
