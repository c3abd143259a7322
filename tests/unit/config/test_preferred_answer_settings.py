import pytest

from cqa_spark.config.preferred_answer_settings import PreferredAnswerExperimentSettings


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        ({"experiment": {"all_sites": True}}, []),
        ({"threads": {"site": ("a",)}}, []),
        ({}, ["sites and all_sites exclude each other, and one is required"]),
        (
            {"threads": {"site": ("a",)}, "experiment": {"all_sites": True}},
            ["sites and all_sites exclude each other, and one is required"],
        ),
        ({"threads": {"name": "full"}, "experiment": {"all_sites": True}}, ["full has no test split"]),
        ({"threads": {"name": "full"}, "experiment": {"all_sites": True, "measured_on": "every"}}, []),
        (
            {"experiment": {"all_sites": True, "measured_on": "every", "budget": 5}},
            ["no question is left to tune on, since every question is evaluated on"],
        ),
        ({"experiment": {"all_sites": True, "budget": 5}}, []),
        ({"experiment": {"all_sites": True, "rankers": "logistic"}}, ["boosted: not in rankers"]),
        ({"experiment": {"all_sites": True, "rankers": "logistic", "studied": "logistic"}}, []),
    ],
)
def test_the_experiment_needs_sites_and_a_part_to_measure_on(given, problems):
    assert [what for _, what, _ in PreferredAnswerExperimentSettings.contradictions(given)] == problems
