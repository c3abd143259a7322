"""Judgments and rankings in every form give the same values."""

from collections import namedtuple
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

import cqa_spark as cqa
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.files.judging import judge

GRADES = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1, "c": 0}}
RUN = {"q1": {"b": 0.9, "a": 0.5, "x": 0.1}, "q2": {"a": 3.0, "c": 1.0}}
ROWS = [(query, document, grade) for query, of_query in GRADES.items() for document, grade in of_query.items()]
SCORES = [(query, document, score) for query, of_query in RUN.items() for document, score in of_query.items()]
VALUES = {"MRR@10": 0.75, "P@1": 0.5, "Judged@3": (2 / 3 + 1) / 2, "Bpref": 0.5}

Row = namedtuple("Row", ["query_id", "doc_id", "relevance"])


def frame(rows: list[tuple[str, str, float]], *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*columns])


def qrels_file(folder: Path) -> Path:
    (folder / "qrels").write_text("".join(f"{query} 0 {document} {grade}\n" for query, document, grade in ROWS))
    return folder / "qrels"


def run_file(folder: Path) -> Path:
    (folder / "run").write_text("".join(f"{query} Q0 {document} 0 {score} x\n" for query, document, score in SCORES))
    return folder / "run"


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        (GRADES, RUN),
        (qrels_file, run_file),
        (qrels_file, RUN),
        (frame(ROWS, "query_id", "doc_id", "relevance"), frame(SCORES, "qid", "docno", "score")),
        (frame(ROWS, "q_id", "doc_id", "score"), frame(SCORES, "q_id", "doc_id", "score")),
        ([Row(*row) for row in ROWS], (ir_measures.ScoredDoc(*row) for row in SCORES)),
        ((ir_measures.Qrel(*row) for row in ROWS), RUN),
    ],
)  # fmt: skip
def test_every_form_of_judgments_and_rankings(tmp_path: Path, qrels: Any, run: Any) -> None:
    qrels, run = (each(tmp_path) if callable(each) else each for each in (qrels, run))
    assert cqa.evaluate(qrels, run, list(VALUES)) == pytest.approx(VALUES)


def official(folder: Path) -> tuple[Path, Path]:
    gold, prediction = folder / "gold", folder / "pred"
    gold.write_text("q1 a 1 1 true\nq1 b 2 .5 false\nq2 c 1 1 false\nq2 d 2 .5 true\n")
    prediction.write_text("q1 a 0 .2 true\nq1 b 0 .9 true\nq2 d 0 .9 false\nq2 c 0 .1 false\n")
    return gold, prediction


def test_official_files(tmp_path: Path) -> None:
    gold, prediction = official(tmp_path)
    values = cqa.evaluate(gold, prediction)
    assert list(values) == ["MAP@10", "AvgRec@10", "MRR@10", "Precision", "Recall", "F1", "Accuracy"]
    assert (values["MAP@10"], values["F1"]) == (0.75, 0.5)
    run = {"q1": {"a": 0.2, "b": 0.9}, "q2": {"d": 0.9, "c": 0.1}}
    assert cqa.evaluate(gold, run, ["MAP@10", "bpref"]) == {"MAP@10": 0.75, "Bpref": 0.5}
    compared = cqa.compare(gold, {"given": gold, "ours": prediction}, resamples=9)
    assert compared["measure"].unique().tolist() == ["MAP@10", "AvgRec@10", "MRR@10", "F1", "Accuracy"]
    assert cqa.evaluate(gold, prediction, ["TMAP"], truncated=True) == {"TMAP": pytest.approx((0.5 + 0.0) / 2, abs=1)}
    with pytest.raises(ConfigError, match="to which the settings of TREC runs do not apply"):
        cqa.evaluate(gold, prediction, relevance_level=2)


def test_a_run_without_labels_has_no_measures_of_labels() -> None:
    assert cqa.evaluate(GRADES, RUN, ["F1", "P@1", "Accuracy"]) == {"P@1": 0.5}
    compared = cqa.compare(GRADES, {"old": RUN, "new": RUN}, ["F1"], resamples=9)
    assert compared["value"].isna().tolist() == [True, True]


def test_values_of_queries() -> None:
    found = cqa.evaluate_queries(GRADES, RUN, ["MRR@10", "Judged@3", "F1", "Pearson"])
    assert found.index.tolist() == ["q1", "q2"]
    assert found.fillna(-1).to_dict("list") == {
        "MRR@10": [0.5, 1.0], "Judged@3": [2 / 3, 1.0], "F1": [-1, -1], "Pearson": [-1, -1],
    }  # fmt: skip


def test_the_level_holds_for_measures_of_ir_measures_too() -> None:
    assert cqa.evaluate(GRADES, RUN, ["P@2", "P(rel=1)@2", "SetP", "Rprec"], relevance_level=2) == {
        "P@2": 0.25, "P(rel=1)@2": 0.5, "SetP(rel=2)": pytest.approx(1 / 6), "Rprec(rel=2)": 0.0,
    }  # fmt: skip


def test_baselines_by_name() -> None:
    runs = {"a": RUN, "b": RUN, "c": RUN}
    found = cqa.compare(GRADES, runs, ["P@1"], baselines=["b", "a"], resamples=9)
    assert found[["baseline", "run"]].to_numpy().tolist() == [
        ["b", "a"],
        ["b", "b"],
        ["b", "c"],
        ["a", "a"],
        ["a", "c"],
    ]
    with pytest.raises(ConfigError, match="unknown baselines d"):
        cqa.compare(GRADES, runs, baselines=["d"])


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (frame(SCORES, "topic", "doc_id", "score"), "columns topic, doc_id, score are not those of"),
        (SCORES, "columns of rows without names are not those of"),
        (
            pd.DataFrame([*SCORES, SCORES[0]], columns=["qid", "docno", "score"]),
            "document b of query q1 is there twice",
        ),
        ([], "has no query in common with"),
    ],
)
def test_other_things_are_refused(run: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        judge(GRADES, [("the run", run)])
