"""``cqa reproduce`` on the invented forum: figures beside published ones, and what is missing is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from homes import make_home
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.evaluation.evaluate_file import evaluate_file
from cqa_spark.synth.qatar_living import SamplePaths


@pytest.fixture
def home(tmp_path: Path, sample: SamplePaths, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the sample as data set: two recipes for its dev part, one for cross-validation of the same file.

    One figure is published, and it is wrong.
    """
    data: dict[str, Any] = {
        "name": "sample",
        "site": "qatarliving.com",
        "corpus": "qatar_living",
        "train": [sample.train.name],
        "leave_out": ["Q1_R1"],
        "parts": {
            "dev": {"input": sample.dev.name, "gold": {"question_comment": sample.gold.name}},
            "test": {"input": "secret.xml"},
        },
    }
    paper = {"title": "A paper", "where": "A journal", "table": "Table 1"}
    published = {"paper": paper, "faithfulness": "faithful"}
    expected = {"sample_dev": {"source": "a paper, Table 1", "measures": {"MAP@10": 0.99}}}
    recipes = [
        recipe("ordered", "column", {"column": "initial_rank", "ascending": True}, expected=expected, **published)
    ]
    recipes.append(recipe("chance", "random_order", {}))
    folds = {
        **data,
        "name": "folds",
        "train": [sample.dev.name],
        "leave_out": [],
        "parts": {"test": {"input": "secret.xml"}},
        "cross_validation": {"question_comment": sample.gold.name},
    }
    recipes.append(recipe("crossed", "column", {"column": "initial_rank", "ascending": True}, data_set="folds"))
    home = make_home(tmp_path / "home", systems=recipes, datasets=[data, folds], without=["systems", "datasets"])
    monkeypatch.setenv("CQA_HOME", str(home))
    return home


def recipe(name: str, ranker: str, parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    spec = {"name": ranker, "parameters": parameters}
    return {
        "name": name,
        "task": "question_comment",
        "about": "For tests.",
        "ranker": spec,
        **{"data_set": "sample", **more},
    }


def test_recipes_of_a_task_are_run_together_and_scored_by_the_gold(
    spark: SparkSession,
    sample: SamplePaths,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, working_directory = tmp_path / "out", tmp_path / "work"
    working_directory.mkdir()
    monkeypatch.chdir(working_directory)
    arguments = ["--all", "--data", str(sample.train.parent), "--output", str(out), "--lake", str(tmp_path / "lake")]
    assert main(["reproduce", *arguments]) == 0
    told = capsys.readouterr().out
    predictions = out / "ordered.sample_dev.pred"
    ours = f"{evaluate_file(sample.gold, predictions)['map'] * 100:.2f}"
    rows = [line.split() for line in told.splitlines()]
    (row,) = [row for row in rows if row[:1] == ["ordered"] and "MAP@10" in row and "dev" in row]
    assert (row[-5], row[-3], row[-1]) == (ours, "99.00", "differs")
    assert "ordered, sample test: there is no secret.xml" in told
    assert "crossed, folds test: there is no secret.xml" in told
    crossed = evaluate_file(sample.gold, out / "crossed.folds_cross-validated.pred")
    assert crossed["map"] == evaluate_file(sample.gold, predictions)["map"]
    assert sorted(path.name for path in out.iterdir()) == [
        "chance.sample_dev.pred",
        "crossed.folds_cross-validated.pred",
        "ordered.sample_dev.pred",
        "scores.json",
    ]
    assert list(working_directory.iterdir()) == []


def test_a_recipe_without_a_data_set_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loose = recipe("loose", "random_order", {})
    del loose["data_set"]
    (home / "conf" / "systems" / "loose.yaml").write_text(yaml.safe_dump(loose), encoding="utf-8")
    assert main(["reproduce", "loose"]) == 2
    assert "loose: the recipe names no data set" in capsys.readouterr().err


def test_training_files_that_are_absent_are_named_before_spark_starts(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "chance", "--data", str(tmp_path)]) == 3
    assert "data set sample:" in capsys.readouterr().err
