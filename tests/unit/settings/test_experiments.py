import pytest

from cqa_spark.settings.experiments import ExperimentSettings, studied_not_run


@pytest.mark.parametrize(
    ("experiments", "problems"),
    [
        ({}, []),
        ({"cross_validation": True}, []),  # which is for all systems
        ({"ablation": True}, ["required by the ablation, the learning curve and the seeds"]),
        ({"seeds": 5}, ["required by the ablation, the learning curve and the seeds"]),
        ({"seeds": 1}, []),
        ({"learning_curve": True, "systems": ["best_a"]}, []),
        ({"learning_curve": True, "systems": "best_a"}, []),
        ({"ablation": True, "systems": ["best_a", "other"]}, ["other: not in systems"]),
        ({"ablation": False, "systems": ["other"]}, []),
    ],
)
def test_an_experiment_needs_systems_that_the_run_trains(experiments, problems):
    given = {"systems": ["given_order", "best_a"], "experiments": experiments}
    assert [what for _, what, _ in studied_not_run(given)] == problems


def test_nothing_is_done_unless_an_experiment_is_switched_on():
    assert not ExperimentSettings().any
    assert all(ExperimentSettings(**{name: True}).any for name in ("cross_validation", "ablation", "learning_curve"))
    assert ExperimentSettings(seeds=2).any
