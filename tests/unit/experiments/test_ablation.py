"""The steps of the experiment with preferred answers, by its settings."""

from typing import Any

import pytest

from cqa_spark.experiments.ablation import OtherSeeds, with_other_seed
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.settings.preferred_answer import PreferredAnswerExperimentSettings
from cqa_spark.tasks.preferred_answer.flow import preferred_answer


@pytest.mark.parametrize(
    ("experiment", "repeated"),
    [({"seeds": 3}, True), ({"seeds": 2}, True), ({"seeds": 1}, False), ({"seeds": 3, "studied": ()}, False)],
)
def test_learned_systems_are_trained_with_other_seeds_if_several_are_asked_for(
    experiment: dict[str, Any], repeated: bool
) -> None:
    given = {"lake": "lake", "from_run": "r1", "experiment": {"all_sites": True, **experiment}}
    steps = preferred_answer(PreferredAnswerExperimentSettings.model_validate(given)).steps
    assert any(isinstance(step, OtherSeeds) for step in steps) == repeated


# Rankers with other seeds.


def test_a_ranker_that_draws_nothing_has_no_other_seed() -> None:
    assert with_other_seed(RankerSpec(name="logistic_regression"), 1) is None


def test_seeds_of_members_stay_apart() -> None:
    trees = [{"name": "boosted_trees"}, {"name": "boosted_trees", "parameters": {"seed": 2, "depth": 3}}]
    members = [{"name": "logistic_regression"}, {"name": "within_query", "parameters": {"member": trees[0]}}, trees[1]]
    found = with_other_seed(RankerSpec(name="average", parameters={"members": members}), 3)
    assert found is not None
    assert found.parameters["members"] == [
        {"name": "logistic_regression"},
        {"name": "within_query", "parameters": {"member": {"name": "boosted_trees", "parameters": {"seed": 3001}}}},
        {"name": "boosted_trees", "parameters": {"seed": 3002, "depth": 3}},
    ]


def test_the_first_draw_is_the_recipes_own() -> None:
    assert with_other_seed(RankerSpec(name="boosted_trees", parameters={"seed": 7}), 0) == RankerSpec(
        name="boosted_trees", parameters={"seed": 7}
    )
