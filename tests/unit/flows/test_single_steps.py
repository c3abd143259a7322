"""Flows of one step, which continue a run."""

import pytest

from cqa_spark.commands.stages import EvaluateSettings, evaluate
from cqa_spark.errors import ConfigError

GIVEN = frozenset({"examples", "rankings", "posts", "model/best_a", "model/length"})


def test_a_baseline_that_the_run_lacks_is_refused_before_spark_starts() -> None:
    with pytest.raises(ConfigError) as refused:
        evaluate(EvaluateSettings(lake="lake", run_id="r1"), GIVEN)
    assert refused.value.problem == "baseline: run r1 has no system given_order"
    assert refused.value.remedy == "name one of best_a, length with --baseline"
    assert evaluate(EvaluateSettings(lake="lake", run_id="r1", baseline="length"), GIVEN).name == "evaluate"
