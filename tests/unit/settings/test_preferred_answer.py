import pytest

from cqa_spark.settings.nightly import NightSettings
from cqa_spark.settings.preferred_answer import AnswerSettings, PreferredAnswerExperimentSettings


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
        ({"threads": {"name": "full"}, "experiment": {"all_sites": True, "evaluation_split": "every"}}, []),
        (
            {"experiment": {"all_sites": True, "evaluation_split": "every", "budget": 5}},
            ["every question is used for evaluation, so none is left for tuning"],
        ),
        ({"experiment": {"all_sites": True, "budget": 5}}, []),
        (
            {"experiment": {"all_sites": True}, "features": {"cut": "answer"}},
            ["the protocol asof ranks the answers of a question at one time, some hours after it"],
        ),
        ({"experiment": {"all_sites": True, "protocol": "xu2018"}, "features": {"cut": "answer"}}, []),
        ({"experiment": {"all_sites": True, "rankers": "logistic"}}, ["boosted: not in rankers"]),
        ({"experiment": {"all_sites": True, "rankers": "logistic", "studied": "logistic"}}, []),
    ],
)
def test_the_experiment_needs_sites_and_a_part_to_measure_on(given, problems):
    assert [what for _, what, _ in PreferredAnswerExperimentSettings.contradictions(given)] == problems


def test_as_of_the_cut_only_what_was_there_is_ranked():
    given = {"lake": "lake", "experiment": {"all_sites": True}, "features": {"cut_hours": 6}}
    threads = PreferredAnswerExperimentSettings.model_validate(given).chosen_threads()
    assert (threads.within_hours, threads.open_questions) == (6, True)
    given["experiment"] = {"all_sites": True, "protocol": "xu2018"}
    threads = PreferredAnswerExperimentSettings.model_validate(given).chosen_threads()
    assert (threads.within_hours, threads.open_questions) == (None, False)


def test_by_default_all_answers_of_questions_with_four_are_kept():
    assert AnswerSettings().model_dump() == {
        "min_answers": 4,
        "self_answers": True,
        "late_answers": True,
        "deleted_owners": True,
        "within_hours": None,
        "open_questions": False,
    }
    assert NightSettings().model_dump() == {"min_answers": 2}
