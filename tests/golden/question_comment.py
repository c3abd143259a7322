"""The golden run of task A: a baseline and a system that learns, on a small invented forum."""

from pathlib import Path

import pytest
from golden.run import GoldenRun, made_once
from homes import make_home
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.synth.qatar_living import SamplePaths, write_sample

LEARNED = {
    "name": "learned",
    "task": "question_comment",
    "feature_groups": ["comment_surface_v1", "dialogue_v1", "goodness_pmi_v1", "lexicon_v2"],
    "ranker": {"name": "logistic_regression"},
}
"""A quick system of the main kinds of features: of the comment, of its thread, learned out of fold."""


def write_forum(folder: Path) -> SamplePaths:
    """Dumps of the forum: the same bytes in every folder."""
    return write_sample(folder, threads=40, dev_threads=15, seed=5)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SamplePaths:
    """Dumps of the forum."""
    return write_forum(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's settings and the quick system."""
    return make_home(tmp_path_factory.mktemp("home") / "home", systems=[LEARNED])


@pytest.fixture
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test calls knows the quick system."""
    monkeypatch.setenv("CQA_HOME", str(home))


@pytest.fixture(scope="session")
def question_comment_run(spark: SparkSession, home: Path, pytestconfig: pytest.Config) -> GoldenRun:
    """Run ``r1``, published."""

    def make(folder: Path) -> None:
        forum = write_forum(folder)
        files = ["--train", str(forum.train), "--dev", str(forum.dev), "--lake", str(folder / "lake")]
        systems = ["--systems", "given_order", str(LEARNED["name"]), "--evaluation.resamples", "99"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CQA_HOME", str(home))
            assert main(["run", "--run-id", "r1", *files, *systems, "--no-tracking.enabled"]) == 0

    assert pytestconfig.cache is not None
    return GoldenRun.at(made_once(pytestconfig.cache, "question_comment", make), spark)
