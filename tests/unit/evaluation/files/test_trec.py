"""Scores without ties: literal ones, and the rule for any scores."""

import gzip
import json
from array import array
from collections.abc import Sequence
from itertools import pairwise
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
from cqa_spark.evaluation.files.pairs import NumberedPairs
from cqa_spark.evaluation.files.trec import (
    MEASURES,
    QrelsRow,
    RunRow,
    is_qrels,
    read_qrels,
    read_run,
    separated,
    write_qrels,
    write_run,
)

CODES = {"double": "d", "single": "f"}
scores_with_ties = st.lists(st.floats() | st.floats(width=16) | st.sampled_from([0.0, 1.0, 0.3, 1e38]))


def test_ties_are_lowered_by_the_last_digit() -> None:
    scores = [0.1 + 0.2, 0.3, 0.3, 0.25, 0.0, 0.0]
    assert [*separated(scores, "double")] == [0.1 + 0.2, 0.3, 0.29999999999999993, 0.25, 0.0, -(2.0**-1022)]
    single = [0.1 + 0.2, 0.29999998211860657, 0.2999999523162842, 0.25, 0.0, -(2.0**-126)]
    assert [*separated(scores, "single")] == single


@pytest.mark.parametrize("precision", CODES)
@pytest.mark.parametrize("score", [float("nan"), float("inf"), -1e300])
def test_scores_beyond_single_precision_are_replaced_by_ranks(precision: str, score: float) -> None:
    assert [*separated([2.0, score, score], precision)] == [-1, -2, -3]


@pytest.mark.parametrize("precision", CODES)
@given(scores=scores_with_ties)
def test_scores_decrease_and_keep_their_digits(precision: str, scores: list[float]) -> None:
    scores.sort(reverse=True)
    distinct = [*separated(scores, precision)]
    assert all(first > second for first, second in pairwise(array(CODES[precision], distinct)))
    if all(abs(score) < 1e38 for score in scores) and len(set(array(CODES[precision], scores))) == len(scores):
        assert distinct == scores


# Runs and qrels: literal text in the layouts of TREC, BEIR and MS MARCO, round trips, refusals.

GRADES = {"301": {"d1": 1, "d3": 2}, "302": {"d4": -1}}
SCORES = {"301": {"d1": 3.5, "d3": -1.5}, "302": {"d4": 0.04}}

words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8).filter(
    lambda word: not word.startswith("#")
)
qrels_rows = st.builds(QrelsRow, words, words, st.integers(-2, 4))


def numbers(found: NumberedPairs) -> dict[str, dict[str, float]]:
    by_query: dict[str, dict[str, float]] = {}
    for row, number in enumerate(found.number.tolist()):
        query, document = found.name(row)
        by_query.setdefault(query, {})[document] = number
    return by_query


@pytest.mark.parametrize(
    "text",
    [
        "301 0 d1 1\n301 0 d3 2\n302 0 d4 -1\n",
        "301\tQ0\td1\t1\r\n301\tQ0\td3\t2\r\n302\tQ0\td4\t-1\r\n",
        "\ufeff# judged in June\n  # twice\n301 0 d1 1\n\n301 0 d3 2\n# more\n302 0 d4 -1\n# end",
        "301 0 d1 1.0\n301 0 d3 +2e0\n302 0 d4 -1.\n",
        "query-id\tcorpus-id\tscore\n301\td1\t1\n301\td3\t2\n302\td4\t-1\n",
        "# BEIR\nQuery-ID corpus-id Score\n301 d1 1.0\n301 d3 2.0\n302 d4 -1.0\n",
    ],
    ids=["blanks", "tabs", "comments", "points", "beir", "beir with comments"],
)
def test_layouts_of_qrels(tmp_path: Path, text: str) -> None:
    (tmp_path / "qrels").write_bytes(text.encode())
    (tmp_path / "packed").write_bytes(gzip.compress(text.encode()))
    assert numbers(read_qrels(tmp_path / "qrels")) == numbers(read_qrels(tmp_path / "packed")) == GRADES
    assert is_qrels(tmp_path / "qrels")
    assert is_qrels(tmp_path / "packed")


@pytest.mark.parametrize(
    "text",
    [
        "301 Q0 d1 1 3.5 made\n301 Q0 d3 2 -1.5 made\n302 Q0 d4 1 0.04 made\n",
        "301 Q0 d3 1.0 -15e-1 made\n# note\n301 0 d1 n/a 3.5 made\n\t#\n302 Q0 d4 - .04 made\n",
        "301 Q0 d1 0 3.5 second run, # 2\n301 Q0 d3 0 -1.5 made\n302 Q0 d4 0 +4e-2 made   \n",
    ],
    ids=["plain", "ranks are ignored", "words after the name"],
)
def test_layouts_of_runs(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").write_bytes(text.encode())
    (tmp_path / "run.gz").write_bytes(gzip.compress(text[:20].encode()) + gzip.compress(text[20:].encode()))
    assert numbers(read_run(tmp_path / "run")) == numbers(read_run(tmp_path / "run.gz")) == SCORES


def test_ranks_of_ms_marco_order_documents(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("301\td2\t2\n301\td1\t1\n# note\n302\td4\t1.0\n")
    assert numbers(read_run(tmp_path / "run")) == {"301": {"d2": -2, "d1": -1}, "302": {"d4": -1}}


def test_runs_of_colbert_are_ordered_by_score(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("301\td2\t2\t17.25\n301\td1\t1\t18\n302\td4\t1\t-0.5\n")
    assert numbers(read_run(tmp_path / "run")) == {"301": {"d2": 17.25, "d1": 18}, "302": {"d4": -0.5}}


@pytest.mark.parametrize("before", ["", "\ufeff", "\n "])
def test_json_of_ranx_and_pytrec_eval(tmp_path: Path, before: str) -> None:
    for name, text, read in (
        ("qrels", '{"301": {"d1": 1, "d3": 2.0}, "302": {"d4": -1}}', read_qrels),
        ("run", '{\n "301": {"d1": 3.5, "d3": -15e-1},\n "302": {"d4": 0.04}}', read_run),
    ):
        (tmp_path / name).write_text(before + text, encoding="utf-8")
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((before + text).encode()))
        expected = GRADES if name == "qrels" else SCORES
        assert numbers(read(tmp_path / name)) == numbers(read(tmp_path / f"{name}.gz")) == expected
    assert is_qrels(tmp_path / "qrels.gz")


def test_blanks_beyond_ascii_are_parts_of_ids(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("301 Q0 a\u00a0b 1 3.5 made\n301 Q0 a\u3000b 2 2.5 made\n")
    assert numbers(read_run(tmp_path / "run")) == {"301": {"a\u00a0b": 3.5, "a\u3000b": 2.5}}


def test_files_of_semeval_are_no_qrels(tmp_path: Path) -> None:
    for label, is_trec in (("true", False), ("maybe", False), ("2", True)):
        (tmp_path / "gold").write_text(f"Q1\tC1\t1\t1\t{label}\n")
        assert is_qrels(tmp_path / "gold") == is_trec


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (read_run, "301 Q0 d1 1 nan made", r"file:1: score 'nan' is not a finite number"),
        (read_run, "301 Q0 d1 1 1e999 made", r"file:1: score '1e999' is not a finite number"),
        (read_run, "301 Q0 d1 1 1_0 made", r"file:1: score '1_0' is not a finite number"),
        (read_run, "301 Q0 d1 1 3,5 made", r"file:1: score '3,5' is not a finite number"),
        (read_run, "301 Q0 d1 1 \u0663 made", r"file:1: score '\u0663' is not a finite number"),
        (read_run, "301 Q0 d1 1 2.5", r"file:1: 5 columns instead of 6 or 3 or 4\n.*query Q0 document rank score run"),
        (read_run, "301 d1 1\n301 Q0 d2 2 2.5 made", r"file:2: 6 columns instead of 3"),
        (
            read_run,
            "301 Q0 d1 1 2 made\n\n301 Q0 d1 2 1 made",
            r"file:3: document d1 of query 301 is in the file twice",
        ),
        (read_run, "301 d1 17.5", r"file:1: rank '17.5' is not a whole number"),
        (read_run, "301 d1 1\n301 d2 1", r"file: the ranks of query 301 are not 1 to 2"),
        (read_run, "301 d1 17\n301 d2 12", r"file: the ranks of query 301 are not 1 to 2"),
        (read_run, "query-id corpus-id score", r"file:1: rank 'score' is not a finite number"),
        (read_run, "# nothing\n", r"file: has no lines"),
        (read_qrels, "301 0 d1 0.5", r"file:1: grade '0.5' is not a whole number"),
        (read_qrels, "301 0 d1 high", r"file:1: grade 'high' is not a finite number"),
        (read_qrels, "301 0 d1 1 more", r"file:1: 5 columns instead of 4 or 3"),
        (read_qrels, "301 d1 1", r"file:1: 3 columns without the header of BEIR\n.*query-id corpus-id score"),
        (read_qrels, "query-id corpus-id score\n301 0 d1 1", r"file:2: 4 columns instead of 3"),
        (read_qrels, "301 0 d1 1\n301 1 d1 0", r"file:2: document d1 of query 301 is in the file twice"),
        (read_run, "301 0 17 1\n301 0 18 0", r"file: the ranks of query 301 are not 1 to 2\n.*qrels are given before"),
        (read_run, "301 0 d1 1", r"file: the ranks of query 301 are not 1 to 1\n.*qrels are given before"),
        (read_run, "301 d1 1 high", r"file:1: score 'high' is not a finite number"),
        (read_run, "301\tQ0\tred kite\t1\t2\tx", r"file:1: a column between tabs holds a blank\n.*write ids without"),
        (read_run, "301\tQ0\tkite\t1\t2\tx\n301\tQ0\tred kite\t1\t2\tx", r"file:2: a column between tabs holds"),
        (read_qrels, "301\t0\tred kite\t1", r"file:1: 5 columns instead of 4 or 3 or 6\n.*write ids without"),
        (read_qrels, '<?xml version="1.0" ?>\n<root/>', r"file:1: the file is XML, not lines of columns"),
        (read_qrels, "<root>", r"file:1: the file is XML, not lines of columns"),
        (read_run, "<!DOCTYPE html>\n<html>", r"file:1: the file is XML, not lines of columns"),
        (
            read_qrels,
            '{"query-id": "t1", "corpus-id": "a", "score": 1}',
            "JSON, but query-id has no documents",
        ),
        (
            read_qrels,
            '{"t": {"a": 1}}\n{"t": {"b": 1}}',
            "JSON, but cannot be read: Extra data: line 2",
        ),
        (read_qrels, '{"t": {"a": 1, "b": 0, "a": 0}}', r"file is JSON, but cannot be read: a is there twice"),
        (read_qrels, '{"t": {"a": 1}, "t": {"b": 0}}', r"file is JSON, but cannot be read: t is there twice"),
        (read_qrels, '{"t": {"a": 0.5}}', r"grade 0\.5 of document a of query t is not a whole number"),
        (read_qrels, '{"t": {"a": true}}', r"grade true of document a of query t is not a finite number"),
        (read_run, '{"t": {"a": NaN}}', r"score NaN of document a of query t is not a finite number"),
        (read_run, '{"t": {"a": 1e999}}', r"score Infinity of document a of query t is not a finite number"),
        (read_run, '{"t": {"a": 1' + "0" * 400 + "}}", r"of document a of query t is not a finite number"),
        (read_run, '{"t": {"a": "1"}}', r'score "1" of document a of query t is not a finite number'),
        (read_run, "{}", r"file is JSON, but has no queries"),
        (read_run, '[{"q": 1}]', r"file is JSON, but has no queries"),
        (read_run, "[[" * 100_000, r"file is JSON, but cannot be read"),
        (read_qrels, "301 Q0 d1 1 2.5 made", r"file is a run, not judgments\n.*give the qrels first"),
    ],
)
def test_problems_are_named(tmp_path: Path, read, text: str, problem: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError) as refused:
        read(tmp_path / "file")
    assert refused.match(problem)


def test_damaged_or_endless_files(tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(b"301 Q0 d%d 1 2.5 made\n" % number for number in range(99)))
    for content in (packed[:-9], packed[:-5] + b"xxxxx", packed[:30] + b"xxxx" + packed[34:]):
        (tmp_path / "run.gz").write_bytes(content)
        with pytest.raises(InputError, match="cannot be read: its compression by gzip is damaged"):
            read_run(tmp_path / "run.gz")
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"0" * 10_000_000))
    with pytest.raises(InputError, match="1: has 1,000,000 characters or more"):
        read_run(tmp_path / "run.gz")


def test_tied_scores_are_written_in_the_order_of_ranks(tmp_path: Path) -> None:
    scores = [0.1 + 0.2, 0.3, 0.3, 0.25, 0.0, 0.0, 0.0]
    rows = [RunRow("Q1", f"C{rank}", rank, score, "best_a") for rank, score in enumerate(scores, start=1)]
    write_run(tmp_path / "run", [*rows, RunRow("Q2", "C1", 1, 0.3, "best_a"), RunRow("Q3", "C1", 1, 1e300, "best_a")])
    assert (tmp_path / "run").read_text().splitlines() == [
        "Q1 Q0 C1 1 0.30000000000000004 best_a",
        "Q1 Q0 C2 2 0.29999998211860657 best_a",
        "Q1 Q0 C3 3 0.2999999523162842 best_a",
        "Q1 Q0 C4 4 0.25 best_a",
        "Q1 Q0 C5 5 0.0 best_a",
        "Q1 Q0 C6 6 -1.1754943508222875e-38 best_a",
        "Q1 Q0 C7 7 -2.350988701644575e-38 best_a",
        "Q2 Q0 C1 1 0.3 best_a",
        "Q3 Q0 C1 1 -1.0 best_a",
    ]


@given(rows=st.lists(qrels_rows, min_size=1, unique_by=lambda row: row[:2]))
def test_qrels_are_read_back(tmp_path_factory, rows: list[QrelsRow]) -> None:
    path = tmp_path_factory.mktemp("trec") / "qrels"
    write_qrels(path, rows)
    grades = numbers(read_qrels(path))
    assert {QrelsRow(query, *judged) for query, of_query in grades.items() for judged in of_query.items()} == set(rows)


# Scores of TREC runs: literal files, exact values, and those of trec_eval through ir_measures.

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
