import pytest

from cqa_spark.config.preferred_answer_settings import PreferredAnswerExperimentSettings


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        ({"experiment": {"all_sites": True}}, []),
        ({"threads": {"site": ("a",)}}, []),
        ({}, ["say which sites to take questions from"]),
        ({"threads": {"site": ("a",)}, "experiment": {"all_sites": True}}, ["say which sites to take questions from"]),
        ({"threads": {"name": "full"}, "experiment": {"all_sites": True}}, ["full has no test part"]),
        ({"threads": {"name": "full"}, "experiment": {"all_sites": True, "measured_on": "every"}}, []),
        (
            {"experiment": {"all_sites": True, "measured_on": "every", "budget": 5}},
            ["every question is measured on, so that none is left to tune on"],
        ),
        ({"experiment": {"all_sites": True, "budget": 5}}, []),
        ({"experiment": {"all_sites": True, "rankers": "logistic"}}, ["boosted: not among the rankers"]),
        ({"experiment": {"all_sites": True, "rankers": "logistic", "studied": "logistic"}}, []),
    ],
)
def test_the_experiment_needs_sites_and_a_part_to_measure_on(given, problems):
    assert [what for _, what, _ in PreferredAnswerExperimentSettings.contradictions(given)] == problems
