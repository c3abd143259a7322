"""A small invented forum, and one whole run on it that several tests look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from homes import make_home
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.storage import Lake
from cqa_spark.synth.qatar_living import SamplePaths, write_sample

LEARNED = {
    "name": "learned",
    "task": "question_comment",
    "feature_groups": ["comment_surface_v1", "dialogue_v1", "goodness_pmi_v1", "lexicon_v2"],
    "ranker": {"name": "logistic_regression"},
}
"""A quick system of the main kinds of features: of the comment, of its thread, learned out of fold."""


@dataclass(frozen=True)
class FinishedRun:
    """A lake that a whole run was published in."""

    lake: Lake

    @property
    def snapshot(self) -> Snapshot:
        return published_snapshot(self.lake)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SamplePaths:
    return write_sample(tmp_path_factory.mktemp("sample"), threads=40, dev_threads=15, seed=5)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's settings and the quick system."""
    return make_home(tmp_path_factory.mktemp("home") / "home", systems=[LEARNED])


@pytest.fixture
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test calls knows the quick system."""
    monkeypatch.setenv("CQA_HOME", str(home))


@pytest.fixture(scope="session")
def whole_run() -> Callable[..., list[str]]:
    """The command line of a run of a baseline and a system that learns, with few resamples."""

    def arguments(sample: SamplePaths, lake: str, *more: str) -> list[str]:
        return [
            "run",
            "--lake",
            lake,
            "--run-id",
            "r1",
            "--train",
            str(sample.train),
            "--dev",
            str(sample.dev),
            "--systems",
            "given_order",
            LEARNED["name"],
            "--evaluation.resamples",
            "99",
            *more,
        ]

    return arguments


@pytest.fixture(scope="session")
def finished(
    spark: SparkSession,
    home: Path,
    sample: SamplePaths,
    whole_run: Callable[..., list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> FinishedRun:
    lake = Lake(spark, str(tmp_path_factory.mktemp("run") / "lake"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQA_HOME", str(home))
        assert main(whole_run(sample, lake.root)) == 0
    return FinishedRun(lake)
