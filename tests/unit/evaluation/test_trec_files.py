"""Runs and qrels: literal text in the layouts of TREC, BEIR and MS MARCO, round trips, refusals."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.errors import InputError
from cqa_spark.evaluation.files.pairs import NumberedPairs
from cqa_spark.evaluation.files.trec import QrelsRow, RunRow, is_qrels, read_qrels, read_run, write_qrels, write_run

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
