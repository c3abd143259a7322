"""Models of findings from the dumps of two sites; and dumps that have nothing to learn from."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.findings.linear_model import FindingModel
from cqa_spark.findings.question_pairs import WORD_FEATURES
from cqa_spark.synth.stackexchange.dump import write_dump

pytestmark = pytest.mark.slow

SITES = ("beer.example.org", "tea.example.org")


def dumps(folder: Path, threads: int) -> list[str]:
    sites = enumerate(SITES)
    return [str(write_dump(folder, site=site, threads=threads, seed=seed, workers=1).folder) for seed, site in sites]


def train(tmp_path: Path, *inputs: str) -> int:
    words = ["--related", "words", "--no-tracking.enabled", "--no-spark.compile-plans"]
    return main(["train", "findings", "--input", *inputs, "--models", str(tmp_path / "models"), *words])


def test_models_are_learned_on_all_sites_and_for_each_on_the_other(spark: SparkSession, tmp_path: Path) -> None:
    assert train(tmp_path, *dumps(tmp_path / "dumps", threads=200)) == 0
    models = {path.stem: FindingModel.model_validate_json(path.read_text()) for path in (tmp_path / "models").iterdir()}
    linked = models["related_question_by_words"]
    assert linked.features == [*WORD_FEATURES]
    assert {*linked.without} == {*SITES}
    assert 0 < linked.positive < linked.rows


def test_dumps_without_votes_and_links_are_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = dumps(tmp_path / "dumps", threads=4)
    for folder in map(Path, inputs):
        for name in ("Votes.xml", "PostLinks.xml"):
            (folder / name).unlink()
    assert train(tmp_path, *inputs) == 3
    assert "nothing to learn from" in capsys.readouterr().err
    assert not [*(tmp_path / "models").iterdir()]
