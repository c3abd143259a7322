import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.rankers.boosted_trees import BoostedTreesRanker
from cqa_spark.rankers.ranker import RANKERS, build_ranker


def test_rankers_are_found_by_name() -> None:
    assert RANKERS.load("boosted_trees") is BoostedTreesRanker
    assert " ".join(RANKERS.names()) == (
        "average boosted_trees calibrated column conditional_logit cross_fitted decomposable_attention feed_forward "
        "linear_svm logistic_regression mean_similarity random_order ridge_regression "
        "siamese_network within_query"
    )


@pytest.mark.parametrize("name", RANKERS.names())
def test_the_table_names_each_ranker_as_it_names_itself(name: str) -> None:
    assert RANKERS.load(name).name == name


def test_given_parameters_stand_beside_the_defaults_of_the_others() -> None:
    parameters = build_ranker("boosted_trees", {"trees": 7, "objective": "pairwise"}).parameters
    assert (parameters.trees, parameters.objective, parameters.workers) == (7, "pairwise", "auto")


def test_an_unknown_ranker_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("boosted_tree", {})
    assert caught.value.problem == "unknown ranker boosted_tree"
    assert caught.value.remedy == (
        "did you mean boosted_trees or logistic_regression or cross_fitted or calibrated or ridge_regression? "
        "cqa rankers list lists all 15 rankers"
    )


def test_an_unknown_parameter_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("random_order", {"sed": 3})
    assert caught.value.problem == "ranker random_order: unknown parameter sed"
    assert caught.value.remedy == "did you mean seed? known parameters: seed"


def test_all_mistakes_in_the_parameters_are_named() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("boosted_trees", {"trees": 0, "objective": "magic", "leaves": 3})
    assert "trees is 0" in caught.value.problem
    assert "objective is 'magic'" in caught.value.problem
    assert "unknown parameter leaves" in caught.value.problem


def test_a_missing_parameter_is_explained() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("column", {})
    assert caught.value.problem == "ranker column: parameter column is missing"
    assert caught.value.remedy == "column: initial_rank, or a feature as GROUP__COLUMN"


@pytest.mark.parametrize("name", RANKERS.names())
def test_every_parameter_is_documented(name: str) -> None:
    fields = RANKERS.load(name).parameters_type.model_fields
    assert [field for field, declared in fields.items() if not declared.description] == []
    assert RANKERS.load(name).about


def test_an_average_of_scores_that_are_not_probabilities_is_refused() -> None:
    members = [{"name": "logistic_regression"}, {"name": "boosted_trees", "parameters": {"objective": "pairwise"}}]
    with pytest.raises(ConfigError, match="boosted_trees, whose scores are not probabilities"):
        build_ranker("average", {"members": members})


def test_a_mean_of_scores_that_are_not_similarities_is_refused() -> None:
    with pytest.raises(ConfigError, match="boosted_trees, whose scores are not similarities"):
        build_ranker("mean_similarity", {"members": [{"name": "ridge_regression"}, {"name": "boosted_trees"}]})


def test_a_mistake_in_a_member_is_named() -> None:
    with pytest.raises(ConfigError, match="unknown parameter l1"):
        build_ranker("average", {"members": [{"name": "logistic_regression", "parameters": {"l1": 1}}] * 2})


def test_a_calibrated_ranker_gives_probabilities_that_can_be_averaged() -> None:
    pairwise = {"name": "boosted_trees", "parameters": {"objective": "pairwise"}}
    members = [{"name": "logistic_regression"}, {"name": "calibrated", "parameters": {"member": pairwise}}]
    assert build_ranker("average", {"members": members}).gives_probabilities


CALIBRATED = {"member": {"name": "column", "parameters": {"column": "g_v1__x"}}}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("calibrated", CALIBRATED), ("average", {"members": [{"name": "calibrated", "parameters": CALIBRATED}] * 2})],
)
def test_the_features_that_a_member_names_are_needed_by_the_whole(name: str, parameters: dict[str, object]) -> None:
    assert build_ranker(name, parameters).parameters.needs_features() == ("g_v1__x",)


def test_a_ranker_reads_texts_if_a_member_does() -> None:
    reading = {"name": "decomposable_attention"}
    members = {"members": [{"name": "within_query", "parameters": {"member": reading}}, {"name": "boosted_trees"}]}
    assert build_ranker("average", members).parameters.reads_texts()
    assert build_ranker("calibrated", {"member": reading}).parameters.reads_texts()
    assert not build_ranker("calibrated", {"member": {"name": "feed_forward"}}).parameters.reads_texts()
