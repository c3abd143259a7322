"""TREC run and qrels files: literal text, round trips, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.errors import InputError
from cqa_spark.evaluation.trec_files import (
    QrelsRow,
    RunRow,
    read_qrels,
    read_run,
    write_qrels,
    write_run,
)

words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
run_rows = st.builds(RunRow, words, words, st.integers(1, 10**6), st.floats(allow_nan=False), words)
qrels_rows = st.builds(QrelsRow, words, words, st.integers(-2, 4))


def test_run_in_text(tmp_path: Path) -> None:
    rows = [RunRow("Q1", "C2", 1, 2.5, "best_a"), RunRow("Q1", "C1", 2, -1.0, "best_a")]
    write_run(tmp_path / "run", rows)
    assert (tmp_path / "run").read_text() == "Q1 Q0 C2 1 2.5 best_a\nQ1 Q0 C1 2 -1.0 best_a\n"


def test_qrels_in_text_with_tabs(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("Q1\t0\tC2\t2\nQ1 0 C1 0\n")
    assert read_qrels(tmp_path / "qrels") == [QrelsRow("Q1", "C2", 2), QrelsRow("Q1", "C1", 0)]


@given(rows=st.lists(run_rows, min_size=1))
def test_run_is_read_back(tmp_path_factory, rows) -> None:
    path = tmp_path_factory.mktemp("trec") / "run"
    write_run(path, rows)
    assert read_run(path) == rows


@given(rows=st.lists(qrels_rows, min_size=1))
def test_qrels_are_read_back(tmp_path_factory, rows) -> None:
    path = tmp_path_factory.mktemp("trec") / "qrels"
    write_qrels(path, rows)
    assert read_qrels(path) == rows


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (read_run, "Q1 Q0 C1 first 2.5 best_a", "rank 'first' is not a whole number"),
        (read_run, "Q1 Q0 C1 1 nan best_a", "score 'nan' cannot be ordered"),
        (read_run, "Q1 Q0 C1 1 2.5", "5 columns instead of 6"),
        (read_qrels, "Q1 0 C1 0.5", "gain '0.5' is not a whole number"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, read, text: str, problem: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError, match=f"file:1: {problem}"):
        read(tmp_path / "file")
