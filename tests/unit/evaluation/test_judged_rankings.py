"""Scores of official files: by hand on literal files, to every printed digit on the official ones."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cqa_spark.cli import main
from cqa_spark.evaluation.judged_rankings import evaluate, to_json, to_table
from cqa_spark.evaluation.official_files import OFFICIAL_MEASURES, ranked_file
from cqa_spark.process.terminal import Terminal

NAMES = {
    "A": "SemEval2016-Task3-CQA-QL-dev-subtaskA.xml.subtaskA",
    "B": "SemEval2016-Task3-CQA-QL-dev.xml.subtaskB",
    "C": "SemEval2016-Task3-CQA-QL-dev.xml.subtaskC",
}


def printed_scores(gold: Path, *predictions: Path) -> list[dict[str, Any]]:
    return json.loads(to_json([ranked_file(gold, path) for path in predictions], OFFICIAL_MEASURES))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, prediction = tmp_path / "gold", tmp_path / "pred"
    gold.write_text("Q1\tC1\t1\t1\ttrue\nQ1\tC2\t2\t0.5\tfalse\nQ2\tC3\t1\t1\tfalse\n")
    prediction.write_text("Q1\tC1\t0\t0.1\ttrue\nQ1\tC2\t0\t0.2\ttrue\nQ2\tC3\t0\t1\tfalse\n")
    return gold, prediction


def test_literal_files(files: tuple[Path, Path]) -> None:
    assert printed_scores(*files)[0] == {
        "file": str(files[1]),
        "queries": 2,
        "map": 0.25,
        "avg_rec": 0.9,
        "mrr": 0.25,
        "precision": 0.5,
        "recall": 1.0,
        "f1": 2 / 3,
        "accuracy": 2 / 3,
    }


def test_json_is_one_object_per_file_in_full_precision(files: tuple[Path, Path]) -> None:
    gold, prediction = files
    scores = printed_scores(gold, prediction, gold)
    assert [row["file"] for row in scores] == [str(prediction), str(gold)]
    assert scores[0]["f1"] == 2 / 3


def test_a_gold_file_predicts_no_labels(files: tuple[Path, Path]) -> None:
    gold, _ = files
    of_labels = dict.fromkeys(("precision", "recall", "f1", "accuracy"))
    assert printed_scores(gold, gold)[0] == {
        "file": str(gold), "queries": 2, "map": 0.5, "avg_rec": 1.0, "mrr": 0.5, **of_labels,
    }  # fmt: skip
    page = StringIO()
    Terminal(Console(file=page, width=80)).table(to_table([ranked_file(gold, gold)], OFFICIAL_MEASURES))
    assert page.getvalue().splitlines()[1].split() == ["gold", "2", "50.00", "100.00", "50.00"]


def test_table_fits_a_terminal_and_is_in_percent(files: tuple[Path, Path]) -> None:
    page = StringIO()
    Terminal(Console(file=page, width=80)).table(to_table([ranked_file(*files)], OFFICIAL_MEASURES, "of two"))
    heading, row, *about = page.getvalue().splitlines()
    assert [line.strip() for line in about] == ["in percent; --format json: fractions", "of two"]
    assert heading.split() == ["file", "queries", "MAP", "AvgRec", "MRR", "P", "R", "F1", "Acc"]
    assert row.split() == ["pred", "2", "25.00", "90.00", "25.00", "50.00", "100.00", "66.67", "66.67"]


@pytest.mark.parametrize("subtask", NAMES)
def test_official_numbers_to_every_digit(cqa_data: Path, subtask: str) -> None:
    scorer = cqa_data / "semeval2016-task3" / "scorer"
    gold = scorer / f"{NAMES[subtask]}.relevancy"
    printed = (scorer / "random_baselines_MAP.txt").read_text().split("$ ")[1:]["ABC".index(subtask)]
    labels = re.findall(r"^(?:Acc|P|R|F1) += (\S+)$", printed, flags=re.MULTILINE)
    given, system = printed_scores(gold, gold, gold.with_suffix(".pred"))

    ranking = re.findall(r"^(?:MAP|AvgRec|MRR) *: +(\S+) +(\S+)$", printed, flags=re.MULTILINE)
    assert _printed_ranking(given, system) == ranking
    assert [f"{system[name]:.4f}" for name in ("accuracy", "precision", "recall", "f1")] == labels


def test_the_given_order_of_arabic_questions_by_the_official_definition(cqa_data: Path) -> None:
    gold = cqa_data / "semeval2016-task3/arabic/SemEval2016-Task3-CQA-MD-dev-first150.xml.subtaskD.relevancy"
    retrieved = ranked_file(gold, gold)  # its scores are those of the retrieval, 1 / rank
    assert evaluate(retrieved, ["MAP@10"]) == {"MAP@10": pytest.approx(0.2618, abs=5e-5)}


def _printed_ranking(given, system) -> list[tuple[str, str]]:
    fractions = [(f"{given[name]:.4f}", f"{system[name]:.4f}") for name in ("map", "avg_rec")]
    return [*fractions, (f"{100 * given['mrr']:.2f}", f"{100 * system['mrr']:.2f}")]


def test_scoring_loads_neither_spark_nor_numpy() -> None:
    heavy = {"pyspark", "numpy", "pandas", "scipy", "rich"}
    code = "import sys, cqa_spark.evaluation.judged_rankings; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not heavy & set(loaded)


def test_the_command_says_what_scores_compare_with(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate-file", *map(str, files)]) == 0
    assert " ".join(capsys.readouterr().out.split()).endswith(
        "2 queries with 3 candidates; MAP of a random order 37.50, of the best 50.00"
    )
