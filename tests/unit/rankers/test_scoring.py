"""Scores of models with literal numbers."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.rankers.average import AverageModel
from cqa_spark.rankers.calibrated import CalibratedModel
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.column import ColumnModel
from cqa_spark.rankers.linear import LinearModel, LinearWeights
from cqa_spark.rankers.logistic_regression import LogisticRegressionModel
from cqa_spark.rankers.model import ModelDescription
from cqa_spark.rankers.random_order import RandomOrderModel
from cqa_spark.rankers.within_query import WithinQueryModel, deviations

X, Y = "g_v1__x", "g_v1__y"
RANDOM = [0.16206956268936024, 0.7253126086226386]
WEIGHTS = LinearWeights(mean=(1.0, 0.0), std=(2.0, 0.0), coefficients=(3.0, 5.0), intercept=0.5)


def candidates(*queries: list[tuple[float, float]]) -> Candidates:
    """Candidates of some queries, with the features X and Y."""
    keys = [(f"Q{number}", f"C{rank}") for number, query in enumerate(queries) for rank in range(len(query))]
    columns = {
        "site": ["s"] * len(keys),
        "task": ["t"] * len(keys),
        "query_id": [query for query, _ in keys],
        "candidate_id": [candidate for _, candidate in keys],
        "initial_rank": pa.array(range(1, len(keys) + 1), pa.int32()),
    }
    values = np.array([pair for query in queries for pair in query], dtype=np.float64)
    return Candidates(pa.table(columns), (X, Y), values)


def described(ranker: str, features: tuple[str, ...] = (X, Y), **parameters: object) -> ModelDescription:
    return ModelDescription(ranker=ranker, parameters=parameters, features=features)


def test_a_linear_model_adds_up_standardised_features_and_none_without_spread() -> None:
    model = LinearModel(described("linear_svm"), WEIGHTS)
    assert model.score(candidates([(1.0, 7.0), (5.0, -2.0)])).tolist() == [0.5, 6.5]


def test_the_score_of_a_logistic_regression_is_a_probability() -> None:
    model = LogisticRegressionModel(described("logistic_regression"), WEIGHTS)
    found = model.score(candidates([(1.0, 0.0)]))
    assert found.tolist() == pytest.approx([1 / (1 + math.exp(-0.5))], abs=1e-15)


def test_features_are_found_by_name() -> None:
    swapped = LinearModel(
        described("linear_svm", (Y, X)),
        LinearWeights(mean=(0.0, 0.0), std=(1.0, 1.0), coefficients=(10.0, 1.0), intercept=0.0),
    )
    assert swapped.score(candidates([(1.0, 2.0)])).tolist() == [21.0]


def test_deviations_are_those_from_the_mean_of_the_query() -> None:
    given = candidates([(1.0, 0.5), (4.0, 0.5), (1.0, 2.0)], [(7.0, 1.0)])
    assert deviations(given, (X, Y)).tolist() == [[-1.0, -0.5], [2.0, -0.5], [-1.0, 1.0], [0.0, 0.0]]


def test_the_member_of_within_query_sees_values_and_deviations() -> None:
    features = (X, Y, f"{X}_within_query", f"{Y}_within_query")
    weights = LinearWeights(mean=(0.0,) * 4, std=(1.0,) * 4, coefficients=(1.0, 0.0, 100.0, 0.0), intercept=0.0)
    member = LinearModel(described("linear_svm", features), weights)
    model = WithinQueryModel(described("within_query"), member)
    assert model.compares_candidates
    assert model.score(candidates([(1.0, 0.0), (3.0, 0.0)], [(5.0, 0.0)])).tolist() == [-99.0, 103.0, 5.0]


def test_the_average_pools_log_odds() -> None:
    first = LogisticRegressionModel(described("logistic_regression"), WEIGHTS)
    other = LogisticRegressionModel(described("logistic_regression"), WEIGHTS.model_copy(update={"intercept": 2.5}))
    model = AverageModel(described("average"), (first, other))
    assert not model.compares_candidates
    assert model.score(candidates([(1.0, 0.0)])).tolist() == pytest.approx([1 / (1 + math.exp(-1.5))], abs=1e-15)


@pytest.mark.parametrize(
    ("column", "ascending", "wanted"),
    [("initial_rank", True, [-1.0, -2.0]), (Y, False, [7.0, -2.0]), (Y, True, [-7.0, 2.0])],
)
def test_a_column_is_the_score(column: str, ascending: bool, wanted: list[float]) -> None:
    model = ColumnModel(described("column", column=column, ascending=ascending))
    assert model.score(candidates([(1.0, 7.0), (5.0, -2.0)])).tolist() == wanted


def test_candidates_with_equal_values_are_ordered_by_the_second_column() -> None:
    model = ColumnModel(described("column", column=X, then=Y))
    found = model.score(candidates([(2.0, 3.0), (2.0, 300.0), (3.0, 0.0), (-1.0, 7.0)]))
    assert found.tolist() == [2.75, 2 + 300 / 301, 3.0, -0.125]


def test_a_random_score_follows_from_the_seed_and_the_key() -> None:
    given = candidates([(0.0, 0.0), (0.0, 0.0)])
    one = RandomOrderModel(described("random_order", seed=1)).score(given)
    assert one.tolist() == RANDOM
    assert RandomOrderModel(described("random_order", seed=2)).score(given).tolist() != RANDOM


def test_a_calibrated_score_is_a_logistic_function_of_that_of_the_member() -> None:
    member = ColumnModel(described("column", column=X))
    model = CalibratedModel(
        described("calibrated", member={"name": "column", "parameters": {"column": X}}),
        member,
        LinearWeights(mean=(1.0,), std=(2.0,), coefficients=(3.0,), intercept=0.5),
    )
    found = model.score(candidates([(1.0, 0.0)]))
    assert found.tolist() == pytest.approx([1 / (1 + math.exp(-0.5))], abs=1e-15)


@given(st.lists(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=1, max_size=4), min_size=2, max_size=5))
def test_scores_do_not_depend_on_what_is_scored_with_them(queries: list[list[tuple[float, float]]]) -> None:
    features = (X, Y, f"{X}_within_query", f"{Y}_within_query")
    weights = LinearWeights(mean=(0.1,) * 4, std=(0.3,) * 4, coefficients=(0.7, 0.2, 0.9, 1.1), intercept=0.3)
    model = WithinQueryModel(described("within_query"), LogisticRegressionModel(described("l", features), weights))
    together = model.score(candidates(*queries)).tolist()
    assert together == [score for query in queries for score in model.score(candidates(query)).tolist()]
