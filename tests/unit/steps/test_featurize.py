"""Systems that a run does without because the dump lacks their tables, before anything is computed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_runs import lake_at, new_files, opened, put_users

from cqa_spark.errors import InputError
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.activity import POST_LINKS, VOTES
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.featurize import ComputeFeatures
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact

NO_SPARK: Any = None
TASK = "preferred_answer"


def add_trained(run: Run, name: str, *groups: str) -> None:
    """Add a system that this process has trained, with neither model nor threads."""
    ranker = RankerSpec(name="random_order")
    system = System(name=name, task=TASK, about="For tests.", feature_groups=groups, ranker=ranker)
    trained = TrainedSystem(system, NO_SPARK, {group: group_class(group)() for group in groups}, "r1", NO_SPARK)
    run.add_artifact(model_artifact(name), f"/absent/{name}", trained)


def compute(run: Run, *dispensable: str) -> None:
    systems = ("by_votes", "by_links", "plain")
    step = ComputeFeatures(systems, (), TASK, FeatureSettings(), dispensable=dispensable)
    step.execute(run, StepRecord("features"))


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A run of a dump with users and votes, but without links."""
    with opened(lake_at(tmp_path / "lake"), "r1") as run:
        put_users(run, a="x")
        run.put(VOTES, new_files(run, VOTES, {"a": [{"vote_id": "1"}]}))
        run.put(POST_LINKS, new_files(run, POST_LINKS, {}))
        yield run


def test_a_dispensable_system_without_its_tables_is_left_out_with_a_warning(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    add_trained(run, "by_links", "basic_u_asof_v1", "incoming_links_v1")
    add_trained(run, "plain")
    compute(run, "by_votes", "by_links", "plain")  # it has no by_votes
    assert sorted(run.record.artifacts) == ["model/plain"]
    assert capsys.readouterr().err == "warning: by_links is left out: the dump has no post_links\n"


def test_all_missing_tables_are_named(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run.put(VOTES, new_files(run, VOTES, {}))
    add_trained(run, "by_links", "incoming_links_v1", "basic_u_asof_v1")
    add_trained(run, "plain")
    compute(run, "by_links")
    assert capsys.readouterr().err == "warning: by_links is left out: the dump has no post_links, votes\n"


def test_without_any_system_that_is_left_the_run_ends(run: Run) -> None:
    add_trained(run, "by_links", "incoming_links_v1")
    with pytest.raises(InputError, match="run r1 has not trained by_votes, by_links, plain"):
        compute(run, "by_links")
