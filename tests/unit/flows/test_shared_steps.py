"""Steps that several flows share."""

import pytest

from cqa_spark.flows.shared_steps import learning
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.embed import Embed
from cqa_spark.systems.recipes import read_systems, task_of


@pytest.mark.parametrize(
    ("system", "every_fold", "examples_only"),
    [("best_sts", False, True), ("best_sts", True, False), ("best_a", False, False)],
)
def test_unlabelled_training_pairs_are_encoded_where_they_are_context_or_ranked(
    system: str, every_fold: bool, examples_only: bool
) -> None:
    systems = read_systems([system])
    steps = learning(systems, task_of(systems), FeatureSettings(), every_fold=every_fold)
    assert [each.examples_only for each in steps if isinstance(each, Embed)] == [examples_only]
