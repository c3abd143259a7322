"""Scores of official files: by hand on literal files, to every printed digit on the official ones."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cqa_spark.cli import main
from cqa_spark.evaluation.evaluate import evaluate, records
from cqa_spark.evaluation.files.pairs import distinct_labels
from cqa_spark.evaluation.files.semeval import OFFICIAL_MEASURES, ranked_file, read_official

NAMES = {
    "A": "SemEval2016-Task3-CQA-QL-dev-subtaskA.xml.subtaskA",
    "B": "SemEval2016-Task3-CQA-QL-dev.xml.subtaskB",
    "C": "SemEval2016-Task3-CQA-QL-dev.xml.subtaskC",
}


def printed_scores(gold: Path, *predictions: Path) -> list[dict[str, Any]]:
    return records([ranked_file(read_official(gold), read_official(path)) for path in predictions], OFFICIAL_MEASURES)


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


def test_a_gold_file_predicts_no_labels(files: tuple[Path, Path]) -> None:
    gold, _ = files
    of_labels = dict.fromkeys(("precision", "recall", "f1", "accuracy"))
    assert printed_scores(gold, gold)[0] == {
        "file": str(gold), "queries": 2, "map": 0.5, "avg_rec": 1.0, "mrr": 0.5, **of_labels,
    }  # fmt: skip


def test_a_table_has_points_and_short_names(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    gold, prediction = files
    assert main(["evaluate-file", str(gold), str(prediction), str(gold)]) == 0
    heading, *rows = [line.split() for line in capsys.readouterr().out.splitlines()[:3]]
    assert heading == ["file", "queries", "MAP", "AvgRec", "MRR", "P", "R", "F1", "Acc"]
    assert rows == [
        ["pred", "2", "25.00", "90.00", "25.00", "50.00", "100.00", "66.67", "66.67"],
        ["gold", "2", "50.00", "100.00", "50.00"],
    ]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("csv", "file,queries,MAP@1,F1\n{},2,0.0,0.6666666666666666\n"),
        ("markdown", "| file | queries | MAP@1 | F1 |\n| --- | ---: | ---: | ---: |\n| pred | 2 | 0.00 | 66.67 |\n"),
        (
            "latex",
            "\\begin{tabular}{lrrr}\n\\toprule\nfile & queries & MAP@1 & F1 \\\\\n\\midrule\n"
            "pred & 2 & 0.00 & 66.67 \\\\\n\\bottomrule\n\\end{tabular}\n",
        ),
    ],
)
def test_measures_and_formats(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], form: str, expected: str
) -> None:
    assert main(["evaluate-file", *map(str, files), "--measures", "MAP@1", "F1", "--format", form]) == 0
    assert capsys.readouterr().out == expected.replace("{}", str(files[1]))


def test_measures_of_queries(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate-file", *map(str, files), "--format", "json", "--measures", "MRR@10", "Recall"]
    file = str(files[1])
    assert main([*command, "--per-query"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"file": file, "query": "Q1", "MRR@10": 0.5, "Recall": 1.0},
        {"file": file, "query": "Q2", "MRR@10": 0.0, "Recall": 0.0},
    ]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--task", "sts", "--measures", "MAP"], "measures does not apply to the task sts"),
        (["--task", "sts", "--per-query"], "per_query does not apply to the task sts"),
        (["--measures", "MAPP"], "measure 'MAPP' is not known"),
    ],
)
def test_what_does_not_fit_is_refused(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], more: list[str], problem: str
) -> None:
    assert main(["evaluate-file", *map(str, files), *more]) == 2
    assert problem in capsys.readouterr().err


def test_a_measure_that_is_named_twice_is_printed_once(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate-file", *map(str, files), "--measures", "MAP@10", "MAP@10", "map", "AP", "AP(rel=1)"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["file", "queries", "MAP@10", "AP", "AP(rel=1)"]


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["a/x.pred", "b/x.pred", "b/y.pred"], ["a/x.pred", "b/x.pred", "y.pred"]),
        (["x.pred", "a/x.pred"], ["x.pred", "a/x.pred"]),
        (["a/x", "b/y"], ["x", "y"]),
        (["old", "new"], ["old", "new"]),
    ],
)
def test_files_with_equal_names_have_distinct_labels(names: list[str], labels: list[str]) -> None:
    assert distinct_labels([*names, names[0]]) == dict(zip(names, labels, strict=True))


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
    retrieved = ranked_file(read_official(gold), read_official(gold))  # its scores are those of the retrieval, 1 / rank
    assert evaluate(retrieved, ["MAP@10"]) == {"MAP@10": pytest.approx(0.2618, abs=5e-5)}


def _printed_ranking(given, system) -> list[tuple[str, str]]:
    fractions = [(f"{given[name]:.4f}", f"{system[name]:.4f}") for name in ("map", "avg_rec")]
    return [*fractions, (f"{100 * given['mrr']:.2f}", f"{100 * system['mrr']:.2f}")]


def test_scoring_loads_neither_spark_nor_pandas() -> None:
    heavy = {"pyspark", "pandas", "scipy", "rich"}
    code = "import sys, cqa_spark.evaluation.evaluate; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not heavy & set(loaded)


def test_the_command_says_what_scores_compare_with(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate-file", *map(str, files)]) == 0
    assert " ".join(capsys.readouterr().out.split()).endswith(
        "2 queries with 3 candidates; MAP of a random order 37.50, of the best 50.00"
    )
