"""Rankers with other seeds."""

from cqa_spark.experiments.ablation import with_other_seed
from cqa_spark.rankers.ranker import RankerSpec


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
