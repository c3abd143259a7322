"""The steps of the experiment with preferred answers, by its settings."""

from typing import Any

import pytest

from cqa_spark.experiments.ablation import OtherSeeds
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
