"""Scores of TREC runs: literal files, exact values, and those of trec_eval through ir_measures."""

import json
from collections.abc import Sequence
from math import log2
from pathlib import Path

import ir_measures
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, nDCG

import cqa_spark as cqa
from cqa_spark.cli import main
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.evaluate import JudgedRanking, evaluate
from cqa_spark.evaluation.files.judging import judge
from cqa_spark.evaluation.files.trec import MEASURES

PEERS = [AP @ 1000, nDCG @ 10, P @ 1, P @ 10, RR]
"""The measures of trec_eval that equal ``MEASURES``, on rankings of up to ten documents."""

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


def judged_runs(qrels: Path, runs: Sequence[Path]) -> list[JudgedRanking]:
    return judge(qrels, [(str(run), run) for run in runs]).rankings


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The judgments and two runs."""
    for name, text in (("qrels", QRELS), ("first", FIRST), ("second", SECOND)):
        (tmp_path / name).write_text(text)
    return tmp_path / "qrels", tmp_path / "first", tmp_path / "second"


def test_every_judged_query_counts(files: tuple[Path, Path, Path]) -> None:
    qrels, first, second = files
    rankings = judged_runs(qrels, [first, second])
    assert [(ranking.name, len(ranking.queries)) for ranking in rankings] == [(str(first), 3), (str(second), 3)]
    scores = [evaluate(ranking, MEASURES) for ranking in rankings]
    assert [row["AP@1000"] for row in scores] == pytest.approx([(1 / 2 / 2 + 1 + 0) / 3, (1 + 1 / 2 + 1) / 3])
    assert [row["MRR@10"] for row in scores] == pytest.approx([(1 / 2 + 1 + 0) / 3, (1 + 1 / 2 + 1) / 3])
    assert [row["P@1"] for row in scores] == pytest.approx([1 / 3, 2 / 3])


def test_ties_are_ordered_by_id_from_the_last(files: tuple[Path, Path, Path]) -> None:
    query = next(judged_runs(files[0], files[1:2])[0].ranked_queries())
    assert [(candidate.gain, candidate.score) for candidate in query.ranked] == [(0, 9.0), (2, 5.0), (0, 5.0)]
    assert [candidate.gain for candidate in query.unranked] == [1]


@pytest.mark.parametrize("run", ["first", "second"])
def test_values_are_those_of_trec_eval(files: tuple[Path, Path, Path], run: str) -> None:
    (ranking,) = judged_runs(files[0], [files[0].parent / run])
    ours = evaluate(ranking, MEASURES)
    theirs = ir_measures.calc_aggregate(
        PEERS,
        list(ir_measures.read_trec_qrels(str(files[0]))),
        list(ir_measures.read_trec_run(str(files[0].parent / run))),
    )
    assert [ours[name] for name in MEASURES] == pytest.approx([theirs[peer] for peer in PEERS], abs=1e-12)


documents = st.sampled_from(["d1", "d2", "d10", "D1", "\u00e9", "\U0001f600", "a\u00a0b", "~"])
near_ties = st.sampled_from([0.0, -0.0, 0.5, 0.5 + 1e-9, 0.5 - 1e-12, 16777216.0, 16777217.0, -3.0, 1e39, 2e39, 1e-50])
queries = st.sampled_from(["q1", "q2", "q3"])


@given(
    grades=st.dictionaries(queries, st.dictionaries(documents, st.integers(-1, 3), min_size=1), min_size=1),
    scores=st.dictionaries(queries, st.dictionaries(documents, near_ties, min_size=1), min_size=1),
    level=st.integers(1, 3),
    judged_only=st.booleans(),
)
def test_any_values_are_those_of_trec_eval_9(
    grades: dict[str, dict[str, int]], scores: dict[str, dict[str, float]], level: int, judged_only: bool
) -> None:
    assume(grades.keys() & scores.keys())
    assume(all(max(of_query.values()) >= 0 for of_query in grades.values()))  # trec_eval fails otherwise
    peers = {
        "AP@1000": AP @ 1000, "nDCG@10": nDCG @ 10, "P@1": P @ 1, "P@10": P @ 10, "MRR@10": RR, "RR": RR, "AP": AP,
        "map_cut_2": AP @ 2, "nDCG": nDCG, "ndcg_cut_3": nDCG @ 3, "R@1": R @ 1, "recall_5": R @ 5,
    }  # fmt: skip
    names = {
        name: peer(judged_only=judged_only, **({} if peer.NAME == "nDCG" else {"rel": level}))
        for name, peer in peers.items()
    }
    theirs = ir_measures.calc_aggregate([*names.values()], grades, scores)
    ours = cqa.evaluate(grades, scores, [*names], relevance_level=level, precision="single", judged_only=judged_only)
    assert [*ours.values()] == pytest.approx([theirs[peer] for peer in names.values()], abs=1e-12)


def test_near_ties_by_the_versions_of_trec_eval(files: tuple[Path, Path, Path], capsys) -> None:
    files[1].write_text("q1 Q0 c2 1 0.50000001 first\nq1 Q0 c3 2 0.5 first\n")
    run = {"q1": {"c2": 0.50000001, "c3": 0.5}}
    grades = {"q1": {"c2": 1, "c3": 0}}
    assert ir_measures.calc_aggregate([P @ 1], grades, run) == {P @ 1: 0}
    assert cqa.evaluate(grades, run, ["P@1"]) == {"P@1": 1}
    assert cqa.evaluate(grades, run, ["P@1"], precision="single") == {"P@1": 0}
    command = ["evaluate-file", str(files[0]), str(files[1]), "--format", "json", "--relevance-level", "2"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)[0]["P@1"] == pytest.approx(1 / 3)
    assert main([*command, "--precision", "single"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["P@1"] == 0


def test_grades_levels_and_documents_without_judgment() -> None:
    grades = {"q": {"a": 0.5, "b": 2, "c": -1, "d": 1}}
    run = {"q": {"u": 5.0, "c": 4.0, "a": 3.0, "b": 2.0, "d": 1.0}}
    names = ["AP@1000", "nDCG@10", "P@1"]
    discount = [1 / log2(rank + 1) for rank in range(1, 6)]
    ideal = 2 * discount[0] + 1 * discount[1] + 0.5 * discount[2]
    everything = (0.5 * discount[2] + 2 * discount[3] + 1 * discount[4]) / ideal
    judged = (0.5 * discount[0] + 2 * discount[1] + 1 * discount[2]) / ideal
    for options, expected in (
        ({}, [(1 / 4 + 2 / 5) / 2, everything, 0]),
        ({"relevance_level": 2}, [1 / 4, everything, 0]),
        ({"relevance_level": 0.5}, [(1 / 3 + 2 / 4 + 3 / 5) / 3, everything, 0]),
        ({"judged_only": True}, [(1 / 2 + 2 / 3) / 2, judged, 0]),
        ({"judged_only": True, "relevance_level": 0.5}, [1, judged, 1]),
        ({"relevance_level": 3}, [0, everything, 0]),
    ):
        assert [*cqa.evaluate(grades, run, names, **options).values()] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ConfigError, match="relevance level 0 is not above 0"):
        cqa.evaluate(grades, run, relevance_level=0)
    with pytest.raises(ConfigError, match="unknown precision 'float'"):
        cqa.evaluate(grades, run, precision="float")


@pytest.mark.parametrize(("precision", "value", "other"), [("double", 1.0, "single"), ("single", 0.5, "double")])
def test_near_ties_that_change_a_measure_are_named(precision: str, value: float, other: str, caplog) -> None:
    grades = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1, "c": 1}}
    near = 0.1 + 1e-10
    run = {"q1": {"a": near, "b": 0.1}, "q2": {"a": near, "b": 0.1, "c": 1e300}}
    assert cqa.evaluate(grades, run, ["MRR@10"], precision=precision) == {"MRR@10": (value + 1) / 2}
    assert [record.getMessage() for record in caplog.records] == [
        f"the run: scores of 1 of 2 queries are so close that the measures differ between {precision} precision, "
        f"used here, and {other} (--precision; trec_eval 9, pytrec_eval and ir_measures compare in single "
        "precision): q1"
    ]


def test_documents_with_the_id_of_their_query(caplog) -> None:
    grades = {"7": {"12": 1, "7": 1}, "8": {"11": 1}}
    run = {"7": {"7": 1.0, "12": 0.8}, "8": {"8": 1.0, "11": 0.9}, "9": {"9": 1.0}}
    assert cqa.evaluate(grades, run, ["P@1", "R@2", "AP"]) == {"P@1": 1 / 2, "R@2": 1, "AP": (1 + 1 / 2) / 2}
    assert "the run: 2 of 2 queries rank a document with their own id" in caplog.text
    caplog.clear()
    left_out = cqa.evaluate(grades, run, ["P@1", "R@2", "AP"], ignore_identical_ids=True)
    assert left_out == {"P@1": 1, "R@2": (1 / 2 + 1) / 2, "AP": (1 / 2 + 1) / 2}
    assert [record.getMessage() for record in caplog.records if "own id" in record.getMessage()] == []


def test_queries_of_one_file_only_are_counted(files: tuple[Path, Path, Path], caplog) -> None:
    qrels, first, second = files
    (ranking,) = judged_runs(qrels, [first])
    assert len(ranking.queries) == 3
    assert [record.getMessage() for record in caplog.records] == [
        f"{first}: has no ranking for 1 of 3 queries of {qrels}, which count 0; means go over 3: q3",
        f"{first}: 1 of 3 queries have no judgments in {qrels} and are ignored: q4",
    ]
    caplog.clear()
    judged_runs(qrels, [second])
    assert caplog.records == []


def test_the_commands_tell_qrels_from_official_files(files: tuple[Path, Path, Path], capsys) -> None:
    paths = [str(path) for path in files]
    assert main(["evaluate-file", *paths, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[1]["AP@1000"] == pytest.approx(2.5 / 3)
    assert main(["compare-files", *paths, "--resampling.resamples", "9"]) == 0
    assert "AP@1000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ("q1 Q0 c1 1 1.0 x\nq1 Q0 c1 2 0.5 x\n", "document c1 of query q1 is in the file twice"),
        ("q9 Q0 c1 1 1.0 x\n", "has no query in common with"),
        (QRELS, "the ranks of query q1 are not 1 to 3\n.*qrels are given before the runs"),
    ],
)
def test_files_that_do_not_belong_together(files: tuple[Path, Path, Path], run: str, problem: str) -> None:
    files[1].write_text(run)
    with pytest.raises(InputError, match=problem):
        judged_runs(files[0], [files[1]])


def test_runs_and_files_of_semeval_are_no_qrels(files: tuple[Path, Path, Path], tmp_path: Path, capsys) -> None:
    qrels, first, second = map(str, files)
    for command in ("evaluate-file", "compare-files"):
        assert main([command, first, qrels, second]) == 3
        assert f"{first} is a run, not judgments\n  → give the qrels first, then the runs" in capsys.readouterr().err
    (tmp_path / "gold").write_text("q1\tc1\t1\t1\ttrue\n")
    assert main(["evaluate-file", str(tmp_path / "gold"), first, "--judged-only"]) == 2
    assert "has the layout of SemEval, to which the settings of TREC runs do not apply" in capsys.readouterr().err
    (tmp_path / "gold").write_text("q1 c1\n")
    assert main(["evaluate-file", str(tmp_path / "gold"), first]) == 3
    assert "gold:1: 2 columns instead of 5 or 4 or 3 or 6" in capsys.readouterr().err
