"""A cross-fitted model scores every thread by a model that did not learn from it."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from saved_folders import reloaded_ranker, saved

from cqa_spark.errors import ContractError
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.cross_fitted import ELSEWHERE, CrossFittedModel, Folds
from cqa_spark.rankers.linear import LinearModel, LinearWeights
from cqa_spark.rankers.model import ModelDescription
from cqa_spark.rankers.ranker import load_model

X = "g_v1__x"
MEMBER = {"name": "conditional_logit", "parameters": {}}


def examples(*threads: tuple[str, str]) -> pa.Table:
    return pa.table({"site": [site for site, _ in threads], "fold_key": [thread for _, thread in threads]})


def linear(coefficient: float) -> LinearModel:
    weights = LinearWeights(mean=(0.0,), std=(1.0,), coefficients=(coefficient,), intercept=0.0)
    return LinearModel(ModelDescription(ranker="conditional_logit", parameters={}, features=(X,)), weights)


def cross_fitted(sites: tuple[str, ...]) -> CrossFittedModel:
    """A model that multiplies by 100 outside of its sites, by 10 in fold 0 and by 20 in fold 1."""
    description = ModelDescription(ranker="cross_fitted", parameters={"member": MEMBER, "folds": 2}, features=(X,))
    return CrossFittedModel(description, Folds(number=2, sites=sites), linear(100.0), (linear(10.0), linear(20.0)))


def test_folds_are_of_sites_if_there_are_as_many() -> None:
    folds = Folds(number=2, sites=("a", "b", "c"))
    assert folds.are_of_sites
    assert folds.of(examples(("a", "1"), ("c", "1"), ("b", "2"), ("new", "1"))).tolist() == [0, 0, 1, ELSEWHERE]


def test_folds_of_fewer_sites_are_of_threads_by_a_hash() -> None:
    folds = Folds(number=2, sites=("a",))
    assert not folds.are_of_sites
    # crc32 of a/1 to a/4
    assert folds.of(examples(("a", "1"), ("a", "2"), ("a", "3"), ("a", "4"), ("b", "1"))).tolist() == [0, 0, 0, 1, -1]


def test_every_thread_is_scored_and_explained_by_the_model_without_its_fold(tmp_path: Path) -> None:
    model = cross_fitted(("a", "b"))
    given = Candidates(examples(("b", "1"), ("c", "1"), ("a", "1"), ("b", "1")), (X,), np.array([[1.0]] * 3 + [[3.0]]))
    for each in (model, reloaded_ranker(model, tmp_path)):
        assert each.score(given).tolist() == [20.0, 100.0, 10.0, 60.0]
        assert each.contributions(given).tolist() == [[20.0], [100.0], [10.0], [60.0]]
        assert [found.feature for found in each.feature_importances()] == [X]


def test_a_folder_with_other_folds_than_its_recipe_is_refused(tmp_path: Path) -> None:
    model = cross_fitted(("a", "b"))
    other = CrossFittedModel(model.description, Folds(number=3, sites=("a",)), model.on_all, model.outside)
    with pytest.raises(ContractError, match="it is for 3 folds, not 2"):
        load_model(saved(other, tmp_path))
