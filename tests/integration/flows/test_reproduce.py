"""``cqa reproduce`` on the invented forum: figures beside published ones, and what is missing is told."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from homes import make_home
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.evaluation.evaluate import evaluate
from cqa_spark.evaluation.files.semeval import ranked_file, read_official
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
        "unannotated": ["gone.xml"],
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
    told, warned = capsys.readouterr()
    assert "data set sample: without gone.xml" in warned
    predictions = out / "ordered.sample_dev.pred"
    scores = evaluate(ranked_file(read_official(sample.gold), read_official(predictions)), ["MAP@10"])
    ours = f"{scores['MAP@10'] * 100:.2f}"
    rows = [line.split() for line in told.splitlines()]
    (row,) = [row for row in rows if row[:1] == ["ordered"] and "MAP@10" in row and "dev" in row]
    assert (row[-5], row[-3], row[-1]) == (ours, "99.00", "differs")
    assert "ordered, sample test: there is no secret.xml" in told
    assert "crossed, folds test: there is no secret.xml" in told
    crossed = ranked_file(read_official(sample.gold), read_official(out / "crossed.folds_cross-validated.pred"))
    assert evaluate(crossed, ["MAP@10"]) == scores
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


def test_a_file_that_holds_no_scores_is_not_overwritten(
    home: Path, sample: SamplePaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"name": "mine"}', encoding="utf-8")
    assert main(["reproduce", "chance", "--data", str(sample.train.parent), "--scores", str(other)]) == 3
    assert f"{other} is no file of scores" in capsys.readouterr().err
    assert other.read_text(encoding="utf-8") == '{"name": "mine"}'


def test_sets_of_pairs_are_scored_apart_and_by_their_official_mean(
    spark: SparkSession, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_pairs(tmp_path / "sts/train.tsv", "2\tOne two.\tThree four.")
    write_pairs(tmp_path / "sts/same.tsv", "5\tA b c d.\tA b c d.", "2\tA b c d.\tA b e f.", "0\tA b.\tC d.")
    write_pairs(tmp_path / "sts/other.tsv", "0\tE f.\tE f.", "\tE f.\tE g.", "4\tE f.\tG h.")
    parts = {name: {"input": f"sts/{name}.tsv", "gold": {"sts": f"sts/{name}.tsv"}} for name in ("same", "other")}
    data = {"name": "sets", "about": "For tests.", "site": "sts", "corpus": "sts", "train": ["sts/train.tsv"]}
    described = yaml.safe_dump({**data, "parts": parts, "mean": "weighted"})
    (home / "conf/datasets/sets.yaml").write_text(described, encoding="utf-8")
    column = {"name": "column", "parameters": {"column": "token_cosine_v1__cosine"}}
    cosine = {"name": "cosine", "task": "sts", "about": "For tests.", "ranker": column}
    described = yaml.safe_dump({**cosine, "feature_groups": ["token_cosine_v1"]})
    (home / "conf/systems/cosine.yaml").write_text(described, encoding="utf-8")
    out, figures = tmp_path / "out", tmp_path / "figures.json"
    earlier = {"sets_mean": {"Pearson": 0.5}}
    figures.write_text(json.dumps({"values": {"other": earlier, "cosine": {"sets_2012": {"Pearson": 0.25}}}}))
    arguments = ["--data", str(tmp_path), "--output", str(out), "--scores", str(figures)]
    assert main(["reproduce", "cosine", "--data-set", "sets", *arguments]) == 0
    assert (out / "cosine.sets_other.pred").read_text().splitlines() == ["1.0", "0.5", "0.0"]
    values = json.loads(figures.read_text())["values"]
    assert values["other"] == earlier
    # The cosines of the first set are 1, 0.5 and 0, and its labels 5, 2 and 0.
    same = 2.5 / (0.5 * (38 / 3)) ** 0.5
    assert {part: round(of_part["Pearson"], 9) for part, of_part in values["cosine"].items()} == {
        "sets_2012": 0.25,
        "sets_same": round(same, 9),
        "sets_other": -1.0,
        "sets_mean": round((3 * same - 2) / 5, 9),
    }


def test_a_data_set_of_another_task_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = yaml.safe_load((home / "conf/datasets/folds.yaml").read_text(encoding="utf-8"))
    other = {**data, "name": "other", "cross_validation": {"arabic_pair": "gold"}}
    (home / "conf/datasets/other.yaml").write_text(yaml.safe_dump(other), encoding="utf-8")
    assert main(["reproduce", "chance", "--data-set", "other"]) == 2
    assert "chance: data set other has no queries of the task question_comment" in capsys.readouterr().err


def write_pairs(path: Path, *lines: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
