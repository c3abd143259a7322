"""Trees that would lead XGBoost out of its memory, or into an endless loop, are refused."""

import copy
from typing import Any

import numpy as np
import pytest
import xgboost
from pydantic import ValidationError

from cqa_spark.rankers.xgboost_json import XGBoostJson

FEATURES = ("g_v1__a", "g_v1__b")
ROWS = np.array([[float(a), float(b)] for a in range(4) for b in range(4)])
LABELS = np.array([int(a + b > 3) for a in range(4) for b in range(4)])


@pytest.fixture(
    scope="module", params=[("binary:logistic", 1), ("binary:logistic", 4), ("rank:pairwise", 1), ("rank:ndcg", 1)]
)
def booster(request: pytest.FixtureRequest) -> xgboost.Booster:
    rows = xgboost.DMatrix(ROWS, LABELS, feature_names=list(FEATURES), qid=[row // 4 for row in range(16)])
    objective, parallel = request.param
    parameters = {"num_parallel_tree": parallel, "max_depth": 2, "min_child_weight": 0.1, "nthread": 1}
    return xgboost.train({"objective": objective, **parameters}, rows, num_boost_round=3)


@pytest.fixture
def content(booster: xgboost.Booster) -> dict[str, Any]:
    return copy.deepcopy(XGBoostJson.model_validate_json(booster.save_raw("json")).model_dump())


def test_what_was_checked_scores_as_the_original(booster: xgboost.Booster) -> None:
    checked = XGBoostJson.model_validate_json(booster.save_raw("json"))
    checked.check(FEATURES, depth=2)
    rows = xgboost.DMatrix(ROWS, feature_names=list(FEATURES))
    again = xgboost.Booster(model_file=checked.data())
    assert again.predict(rows).tobytes() == booster.predict(rows).tobytes()
    assert len(set(booster.predict(rows))) > 2
    assert again.save_raw("json") == booster.save_raw("json")


@pytest.mark.parametrize(
    ("part", "node", "value", "message"),
    [
        ("left_children", 0, 99, "children that are not later nodes"),
        ("left_children", 0, 0, "children that are not later nodes"),
        ("left_children", 0, -2, "children that are not later nodes"),
        ("right_children", 0, -1, "children that are not later nodes"),
        ("parents", 1, 2, "children that are not later nodes"),
        ("parents", 0, 0, "does not start with its root"),
        ("split_indices", 0, 2, "a feature that the model does not have"),
        ("split_indices", 0, -1, "a feature that the model does not have"),
        ("split_conditions", None, 0.5, "arrays of different lengths"),
    ],
)
def test_nodes_that_are_no_tree_are_refused(
    content: dict[str, Any], part: str, node: int | None, value: float, message: str
) -> None:
    tree = content["learner"]["gradient_booster"]["model"]["trees"][0]
    if node is None:
        tree[part].append(value)
    else:
        tree[part][node] = value
    with pytest.raises(ValueError, match=message):
        XGBoostJson.model_validate(content).check(FEATURES, depth=2)


@pytest.mark.parametrize("stated", ["0", "3", "5"])
def test_rounds_with_another_number_of_trees_are_refused(content: dict[str, Any], stated: str) -> None:
    forest = content["learner"]["gradient_booster"]["model"]
    forest["gbtree_model_param"]["num_parallel_tree"] = stated
    with pytest.raises(ValueError, match=r"num_parallel_tree|the rounds do not have as many trees as stated"):
        XGBoostJson.model_validate(content)


def test_deeper_trees_than_the_ranker_grows_are_refused(content: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="deeper than 1"):
        XGBoostJson.model_validate(content).check(FEATURES, depth=1)


def test_other_features_are_refused(content: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="its features are not those of the model"):
        XGBoostJson.model_validate(content).check(FEATURES[::-1], depth=2)


@pytest.mark.parametrize(
    "changes",
    [
        {"gradient_booster": {"name": "gblinear"}},
        {"objective": {"name": "survival:cox"}},
        {"feature_types": ["c", "c"]},
        {"callbacks": "x"},
    ],
)
def test_other_models_of_xgboost_are_refused(content: dict[str, Any], changes: dict[str, Any]) -> None:
    content["learner"] |= changes
    with pytest.raises(ValidationError):
        XGBoostJson.model_validate(content)
