"""Comparisons of candidates with the other candidates of their query."""

import numpy as np
import pytest

from cqa_spark.features.within_query import WithinQuery, above_mean, ranks


def test_a_sole_leader_is_ahead_of_the_runner_up_and_nobody_else_is_ahead() -> None:
    within_query = WithinQuery(np.array([0, 0, 0, 1, 1, 2]))
    values = np.array([5.0, 2.0, 3.0, 4.0, 4.0, 7.0])
    assert within_query.lead(values).tolist() == [2.0, -3.0, -2.0, 0.0, 0.0, 0.0]
    assert within_query.leads(values).tolist() == [True, False, False, True, True, True]
    assert within_query.total(values).tolist() == [10.0, 10.0, 10.0, 8.0, 8.0, 7.0]


def test_without_candidates_there_is_nothing_to_compare() -> None:
    within_query, none = WithinQuery(np.array([], dtype=np.int64)), np.array([])
    assert within_query.lead(none).size == within_query.total(none).size == 0


def test_ranks_and_means_are_within_the_query_and_skip_unknown_values() -> None:
    query, values = np.array([0, 0, 0, 1, 1]), np.array([0.5, 0.7, 0.5, np.nan, 0.1])
    assert np.array_equal(ranks(values, query), [2, 1, 2, np.nan, 1], equal_nan=True)
    assert above_mean(values, query) == pytest.approx([-0.2 / 3, 0.4 / 3, -0.2 / 3, np.nan, 0], nan_ok=True)
