"""Which of a run's trained systems rank; without Spark, of a baseline without features."""

from pathlib import Path
from typing import Any

import pytest
from small_runs import lake_at, opened, put_users

from cqa_spark.errors import InputError
from cqa_spark.lake.run import Run
from cqa_spark.steps.score import load_trained, read_to_rank
from cqa_spark.systems.recipes import read_systems
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact

[GIVEN_ORDER, LEXICAL] = read_systems(["given_order", "lexical_a"])
NO_SPARK: Any = None


def add_trained(run: Run, name: str) -> TrainedSystem:
    """Add a system that this process has trained, with neither model nor threads."""
    [system] = read_systems([name])
    trained = TrainedSystem(system, NO_SPARK, {}, "r1", NO_SPARK)
    run.add_artifact(model_artifact(name), f"/absent/{name}", trained)
    return trained


def test_systems_that_training_left_out_do_not_rank(tmp_path: Path) -> None:
    with opened(lake_at(tmp_path / "lake"), "r1") as run:
        trained = add_trained(run, "given_order")
        add_trained(run, "random")
        assert load_trained(run, ["lexical_a", "given_order"]) == {"given_order": trained}


def test_a_run_that_trained_nothing_names_the_command_that_does(tmp_path: Path) -> None:
    with opened(lake_at(tmp_path / "lake"), "r1") as run:
        put_users(run, a="x")
        with pytest.raises(InputError, match="run r1 has not trained lexical_a, given_order") as refused:
            load_trained(run, ["lexical_a", "given_order"])
    assert "cqa train --run-id r1 --systems lexical_a given_order" in refused.value.remedy


def test_ranking_reads_the_examples_and_of_all_systems_features_and_models() -> None:
    names = [product.name for product in read_to_rank([GIVEN_ORDER, LEXICAL])]
    assert names == ["examples", "features", "model/given_order", "model/lexical_a"]
    assert [product.name for product in read_to_rank([GIVEN_ORDER])] == ["examples", "model/given_order"]
