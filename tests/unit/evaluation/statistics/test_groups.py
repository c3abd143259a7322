"""Wins and losses between systems."""

import numpy as np
import pandas as pd

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.groups import MeasuredGroup, with_outcomes
from cqa_spark.evaluation.statistics.tests import count_wins

VALUES = np.array(
    [  # three queries, two systems, two measures
        [[0.5, 1.0], [0.25, 1.0]],
        [[0.5, 0.0], [0.75, 1.0]],
        [[0.5, 1.0], [0.25, 1.0]],
    ]
)


def test_wins_are_by_pair_of_systems_and_measure() -> None:
    assert count_wins(VALUES).tolist() == [[[0, 0], [2, 0]], [[1, 1], [0, 0]]]


def test_outcomes_of_tests() -> None:
    tests = pd.DataFrame(
        {
            "measure": ["MAP@10", "MAP@10", "P@1", "P@1"],
            "system": ["a", "b", "a", "b"],
            "baseline": [None, "a", "b", None],
        }
    )
    measured = MeasuredGroup([parse_measure("MAP@10"), parse_measure("P@1")], ["a", "b"], 3)
    found = with_outcomes(tests, count_wins(VALUES), measured)[["wins", "losses", "ties"]]
    assert found.iloc[[1, 2]].to_numpy().tolist() == [[1, 2, 0], [0, 1, 2]]
    assert found.iloc[[0, 3]].isna().all(axis=None)
