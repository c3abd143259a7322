"""Every ranker learns from two candidates of one query, or says what it lacks; none learns from nothing."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.rankers.registry import RANKERS, build_ranker

_TREES = {"name": "boosted_trees", "parameters": {"trees": 2, "depth": 2}}
_RIDGE = {"name": "ridge_regression"}
_LOGISTIC = {"name": "logistic_regression"}
_SCORED: dict[str, dict[str, Any]] = {
    "column": {"column": "g_v1__signal"},
    "random_order": {},
    "logistic_regression": {},
    "linear_svm": {},
    "boosted_trees": {"trees": 2, "depth": 2},
    "average": {"members": [_LOGISTIC, _TREES]},
    "within_query": {"member": _LOGISTIC},
}
_OUT_OF_FOLD: dict[str, dict[str, Any]] = {
    "conditional_logit": {},
    "ridge_regression": {},
    "mean_similarity": {"members": [_RIDGE, _RIDGE]},
    "calibrated": {"member": _LOGISTIC},
    "cross_fitted": {"member": _LOGISTIC, "folds": 2},
}
_NEURAL: dict[str, dict[str, Any]] = {
    name: {"epochs": 1} for name in ("feed_forward", "decomposable_attention", "siamese_network")
}


@pytest.fixture(scope="module")
def query(make_examples: Callable[..., DataFrame]) -> DataFrame:
    """A query with a relevant and an irrelevant candidate, and words that occur once."""
    examples = make_examples([("Q1", "C1", 1, True), ("Q1", "C2", 2, False)])
    words = {"query_words": F.array("query_id"), "candidate_words": F.array("candidate_id")}
    return examples.withColumn("g_v1__signal", F.col("initial_rank").cast("double")).withColumns(words)


def test_all_rankers_are_here() -> None:
    assert {*_SCORED, *_OUT_OF_FOLD, *_NEURAL} == set(RANKERS.names())


@pytest.mark.parametrize("name", _SCORED)
def test_two_candidates_are_scored(query: DataFrame, name: str) -> None:
    examples = query.drop("query_words", "candidate_words")
    scored = build_ranker(name, _SCORED[name]).fit(examples).transform(examples).collect()
    assert len(scored) == 2
    assert all(isfinite(row["score"]) for row in scored)


@pytest.mark.parametrize("name", _OUT_OF_FOLD)
def test_one_query_has_no_out_of_fold_scores(query: DataFrame, name: str) -> None:
    with pytest.raises(InputError, match=r"outside of each of \d folds: there are no training examples"):
        build_ranker(name, _OUT_OF_FOLD[name]).fit(query.drop("query_words", "candidate_words"))


def test_words_that_are_all_rare_have_no_vectors(query: DataFrame) -> None:
    with pytest.raises(InputError, match="no word occurs 5 times in the texts of the 2 training examples"):
        build_ranker("decomposable_attention", _NEURAL["decomposable_attention"]).fit(query)


@pytest.mark.slow
def test_a_network_learns_from_two_candidates(query: DataFrame) -> None:
    pytest.importorskip("jax", reason="needs the extra neural")
    examples = query.drop("query_words", "candidate_words")
    scored = build_ranker("feed_forward", _NEURAL["feed_forward"]).fit(examples).transform(examples).collect()
    assert all(isfinite(row["score"]) for row in scored)
