"""A system of task C that builds on systems of A and B: trained, saved, and used in one go."""

from pathlib import Path
from typing import Any

import pytest
from homes import make_home
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.synth.qatar_living import SamplePaths, write_sample

SYSTEMS: list[dict[str, Any]] = [
    {"name": "small_a", "task": "question_comment", "feature_groups": ["comment_surface_v1"]},
    {"name": "small_b", "task": "question_question", "feature_groups": ["search_rank_v1"]},
    {
        "name": "small_c",
        "task": "external_comment",
        "feature_groups": ["path_scores_v1", "search_rank_v1"],
        "upstream": ["small_a", "small_b"],
    },
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with three quick systems and no others."""
    ranker = {"name": "logistic_regression", "parameters": {"iterations": 5}}
    home = make_home(tmp_path / "home", systems=[{**each, "ranker": ranker} for each in SYSTEMS], without=["systems"])
    monkeypatch.setenv("CQA_HOME", str(home))


@pytest.fixture
def forum(tmp_path: Path) -> SamplePaths:
    return write_sample(tmp_path / "forum", threads=20, dev_threads=20, seed=5)  # both labels for each original


@pytest.mark.slow
def test_a_saved_system_brings_those_that_it_builds_on(
    spark: SparkSession, home: None, forum: SamplePaths, tmp_path: Path
) -> None:
    lake, at_once, by_model = (str(tmp_path / name) for name in ("lake", "at_once.pred", "by_model.pred"))
    learning = ["--system", "small_c", "--train", str(forum.train), "--features.folds", "2", "--lake", lake]
    assert main(["rank", *learning, "--input", str(forum.dev), "--predictions", at_once]) == 0
    (model,) = Path(lake, "runs").glob("*/models/model/small_c")
    assert main(["score", "--model", str(model), "--input", str(forum.dev), "--predictions", by_model]) == 0
    rows = [line.split("\t") for line in Path(at_once).read_text(encoding="utf-8").splitlines()]
    text = forum.dev.read_text(encoding="utf-8")
    assert len(rows) == text.count("<RelComment ")
    assert len({row[0] for row in rows}) == 4
    assert len({row[3] for row in rows}) > len(rows) / 2
    assert Path(by_model).read_text(encoding="utf-8") == Path(at_once).read_text(encoding="utf-8")
