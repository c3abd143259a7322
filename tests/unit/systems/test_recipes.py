"""What the systems of a job have in common."""

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.features.registry import embedding_models
from cqa_spark.steps.upstream import upstream_of
from cqa_spark.systems.system import known_systems, read_recipe, read_system, read_systems, task_of


def test_the_task_is_that_of_the_systems():
    assert task_of(read_systems(["best_b", "search_order_b"])) == "question_question"


def test_systems_of_several_tasks_are_refused():
    with pytest.raises(ConfigError) as caught:
        task_of(read_systems(["given_order", "best_b"]))
    assert caught.value.problem == (
        "the systems are for several tasks: given_order (question_comment), best_b (question_question)"
    )


def test_recipes_with_a_model_published_after_their_paper_are_modern_substitutes():
    systems = [system for system in read_systems(known_systems()) if system.paper is not None]
    of_the_period = {"glove"}  # of 2014
    with_encoder = {system.name for system in systems if {*embedding_models(system.feature_groups)} - of_the_period}
    assert with_encoder == {system.name for system in systems if system.faithfulness == "modern substitute"}


def test_surrogates_do_not_have_the_names_of_the_published_systems():
    systems = read_systems(known_systems())
    surrogates = {system.name for system in systems if system.faithfulness == "surrogate"}
    assert surrogates == {system.name for system in systems if system.name.startswith("like_")}


@pytest.mark.parametrize("name", [name for name in known_systems() if read_recipe(name).upstream])
def test_recipes_build_on_upstream_systems_that_a_job_accepts(name):
    system = read_system(name)
    assert {each.system.name for each in upstream_of([system])} == {*system.upstream}
