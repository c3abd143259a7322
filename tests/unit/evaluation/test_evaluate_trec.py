"""Scores of TREC runs: literal files, exact values, and those of trec_eval through ir_measures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.errors import InputError
from cqa_spark.evaluation.evaluate_trec import compare_runs, evaluate_runs, judged_run

# q1 has a tie, which is ordered by id, descending; u1 has no judgment. The run lacks q3.
QRELS = """q1 0 c1 0
q1 0 c2 2
q1 0 c3 1
q2 0 c1 1
q2 0 c2 0
q3 0 c1 1
"""
FIRST = """q1 Q0 u1 1 9.0 first
q1 Q0 c2 3 5.0 first
q1 Q0 c1 2 5.0 first
q2 Q0 c1 1 1.5 first
q4 Q0 c1 1 1.0 first
"""
SECOND = """q1 Q0 c3 1 3.0 second
q1 Q0 c2 2 2.0 second
q2 Q0 c2 1 2.0 second
q2 Q0 c1 2 1.0 second
q3 Q0 c1 1 1.0 second
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The judgments and two runs."""
    for name, text in (("qrels", QRELS), ("first", FIRST), ("second", SECOND)):
        (tmp_path / name).write_text(text)
    return tmp_path / "qrels", tmp_path / "first", tmp_path / "second"


def test_every_judged_query_counts(files: tuple[Path, Path, Path]) -> None:
    qrels, first, second = files
    scores = evaluate_runs(qrels, [first, second])
    assert [(row["file"], row["queries"]) for row in scores] == [(str(first), 3), (str(second), 3)]
    assert [row["AP@1000"] for row in scores] == pytest.approx([(1 / 2 / 2 + 1 + 0) / 3, (1 + 1 / 2 + 1) / 3])
    assert [row["MRR@10"] for row in scores] == pytest.approx([(1 / 2 + 1 + 0) / 3, (1 + 1 / 2 + 1) / 3])
    assert [row["P@1"] for row in scores] == pytest.approx([1 / 3, 2 / 3])


def test_ties_are_ordered_by_id_from_the_last(files: tuple[Path, Path, Path]) -> None:
    query = judged_run(files[0], files[1])["q1"]
    assert [(candidate.gain, candidate.score) for candidate in query.ranked] == [(0, 9.0), (2, 5.0), (0, 5.0)]
    assert [candidate.gain for candidate in query.unranked] == [1]


@pytest.mark.parametrize("run", ["first", "second"])
def test_values_are_those_of_trec_eval(files: tuple[Path, Path, Path], run: str) -> None:
    import ir_measures

    names = {"AP@1000": "AP", "nDCG@10": "nDCG@10", "P@1": "P@1", "P@10": "P@10", "MRR@10": "RR"}
    theirs = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in names.values()],
        list(ir_measures.read_trec_qrels(str(files[0]))),
        list(ir_measures.read_trec_run(str(files[0].parent / run))),
    )
    (ours,) = evaluate_runs(files[0], [files[0].parent / run])
    expected = {str(measure): value for measure, value in theirs.items()}
    assert {names[name]: ours[name] for name in names} == pytest.approx(expected, abs=1e-12)


def test_runs_are_compared_with_the_first(files: tuple[Path, Path, Path]) -> None:
    first, second = compare_runs(files[0], files[1:], measures=["AP@1000"], resamples=99)
    assert (first.difference, first.p_value) == (0.0, 1.0)
    assert second.difference == pytest.approx((2.5 - 1.25) / 3)


def test_the_commands_tell_qrels_from_official_files(files: tuple[Path, Path, Path], capsys) -> None:
    paths = [str(path) for path in files]
    assert main(["evaluate-file", *paths, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[1]["AP@1000"] == pytest.approx(2.5 / 3)
    assert main(["compare-files", *paths, "--resampling.resamples", "9"]) == 0
    assert "AP@1000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ("q1 Q0 c1 1 1.0 x\nq1 Q0 c1 2 0.5 x\n", "candidate c1 of query q1 is in the file twice"),
        ("q9 Q0 c1 1 1.0 x\n", "has no query in common with"),
    ],
)
def test_files_that_do_not_belong_together(files: tuple[Path, Path, Path], run: str, problem: str) -> None:
    files[1].write_text(run)
    with pytest.raises(InputError, match=problem):
        evaluate_runs(files[0], [files[1]])
