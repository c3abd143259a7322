"""Official prediction and gold files: read, written, matched, refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.evaluation.evaluate import JudgedRanking
from cqa_spark.evaluation.files.semeval import OfficialRow, ranked_file, read_official, write_official
from cqa_spark.evaluation.measure import Candidate, RankedQuery

GOLD = "Q1\tC1\t1\t1\tfalse\nQ1\tC2\t2\t0.5\ttrue\nQ1\tC3\t3\t0.33\ttrue\nQ2\tC4\t1\t1\tfalse\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return written(tmp_path / "gold", GOLD)


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def read(path: Path) -> list[OfficialRow]:
    file = read_official(path)
    names = [file.scores.name(row) for row in range(len(file.relevant))]
    ranks = file.ranks.take(file.rank).to_pylist()
    numbers = zip(names, file.scores.number.tolist(), file.relevant.tolist(), ranks, strict=True)
    return [OfficialRow(*name, *rest) for name, *rest in numbers]


def ranked(gold: Path, prediction: Path) -> JudgedRanking:
    return ranked_file(read_official(gold), read_official(prediction))


def queries(gold: Path, prediction: Path) -> dict[str, RankedQuery]:
    ranking = ranked(gold, prediction)
    return dict(zip(ranking.queries.to_pylist(), ranking.ranked_queries(), strict=True))


def test_reads_carriage_returns_blank_lines_and_byte_order_mark(tmp_path: Path) -> None:
    path = written(tmp_path / "pred", "\ufeffQ1\tC1\t0\t1e-3\tTrue\r\n\r\nQ1\tC2\t0\t-2\tfalse\r\n")
    assert read(path) == [OfficialRow("Q1", "C1", 0.001, True), OfficialRow("Q1", "C2", -2.0, False)]


def test_scores_order_as_numbers_not_as_text(tmp_path: Path, gold: Path) -> None:
    path = written(tmp_path / "pred", "Q1\tC1\t0\t9\tfalse\nQ1\tC2\t0\t10\ttrue\nQ1\tC3\t0\t1e2\tfalse\n")
    hit_not_called, hit, miss = Candidate(True, 1), Candidate(True, 1, True), Candidate(False, 0)
    assert queries(gold, path)["Q1"].ranked == [hit_not_called, hit, miss]


def test_ties_keep_the_order_of_the_prediction_file(tmp_path: Path, gold: Path) -> None:
    path = written(tmp_path / "pred", "Q1\tC2\t0\t1\tfalse\nQ1\tC1\t0\t1\tfalse\nQ1\tC3\t0\t1\tfalse\n")
    assert [candidate.relevant for candidate in queries(gold, path)["Q1"].ranked] == [True, False, True]


def test_candidate_without_prediction_is_not_ranked(tmp_path: Path, gold: Path) -> None:
    path = written(tmp_path / "pred", "Q1\tC1\t0\t1\ttrue\n")
    expected = RankedQuery([Candidate(False, 0, True)], [Candidate(True, 1), Candidate(True, 1)])
    assert queries(gold, path) == {"Q1": expected}


def test_a_file_with_rows_of_the_gold_file_predicts_no_labels(tmp_path: Path, gold: Path) -> None:
    part = written(tmp_path / "part", GOLD.splitlines()[0] + "\n")
    other_scores = written(tmp_path / "pred", GOLD.replace("0.5", "0.6"))
    assert [ranked(gold, path).predicts_labels for path in (gold, part, other_scores)] == [False, False, True]


def test_what_the_prediction_lacks_is_counted(tmp_path: Path, gold: Path, caplog) -> None:
    path = written(tmp_path / "pred", "Q1\tC1\t0\t1\ttrue\nQ\x1b7\tC9\t0\t1\ttrue\n")
    assert list(queries(gold, path)) == ["Q1"]
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: has no ranking for 1 of 2 queries of {gold}, which are left out; means go over 1: Q2",
        f"{path}: 1 of 2 queries have no judgments in {gold} and are ignored: Q␛7",
        f"{path}: has no score for 2 candidates of {gold}, which count as not ranked, in 1 queries: Q1",
    ]


PREDICTION = "Q1\tC1\t0\t0.9\ttrue\nQ1\tC2\t0\t0.8\ttrue\nQ1\tC3\t0\t0.1\ttrue\nQ2\tC4\t0\t0.2\tfalse\n"


def test_exchanged_files_are_noticed(tmp_path: Path, gold: Path, caplog) -> None:
    path = written(tmp_path / "pred", PREDICTION)
    ranked(path, gold)
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} seems to hold predictions and {gold}, whose scores are 1 / rank, to be the gold file: "
        "give the gold file first"
    ]


@pytest.mark.parametrize(
    ("judgments", "prediction"),
    [
        (GOLD, PREDICTION),
        (GOLD, GOLD),
        (GOLD, PREDICTION.replace("\t0\t", "\t1\t")),
        ("Q1\tC1\t0\t0\ttrue\nQ1\tC2\t0\t2\ttrue\n", "Q1\tC2\t1\t1\ttrue\nQ1\tC1\t2\t0.5\tfalse\n"),
    ],
    ids=["predictions", "the given order", "predictions with ranks", "judgments without scores, ranks as predictions"],
)
def test_files_in_their_order_are_not_called_exchanged(tmp_path: Path, judgments: str, prediction: str, caplog) -> None:
    ranked(written(tmp_path / "gold", judgments), written(tmp_path / "pred", prediction))
    assert caplog.records == []


def test_exchanged_files_of_the_campaign_are_noticed(cqa_data: Path, caplog) -> None:
    folder = cqa_data / "semeval2016-task3" / "scorer"
    gold_files = [*folder.glob("*.relevancy")]
    assert len(gold_files) == 3
    for gold in gold_files:
        caplog.clear()
        ranked(gold, gold.with_suffix(".pred"))
        assert caplog.records == []
        ranked(gold.with_suffix(".pred"), gold)
        assert "give the gold file first" in caplog.text


def test_labels_that_equal_the_gold_are_noticed(tmp_path: Path, gold: Path, caplog) -> None:
    path = written(tmp_path / "pred", GOLD.replace("\t1\t", "\t0\t").replace("0.5", "0.6"))
    assert ranked(gold, path).predicts_labels
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: all 4 labels equal those of {gold}; if they are copies, ignore precision, recall, F1 and accuracy"
    ]


def test_unknown_candidates_are_refused_by_name(tmp_path: Path, gold: Path) -> None:
    path = written(tmp_path / "pred", "Q1\tC1\t0\t1\ttrue\nQ1\tC8\t0\t1\ttrue\n")
    with pytest.raises(InputError, match=r"pred: 1 candidates are not in .*gold: C8 of query Q1"):
        ranked(gold, path)


def test_files_of_other_data_are_refused(tmp_path: Path, gold: Path) -> None:
    path = written(tmp_path / "pred", "Q7\tC1\t0\t1\ttrue\n")
    with pytest.raises(InputError, match="no query in common"):
        ranked(gold, path)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Q1\tC2\t0\t1", "4 columns instead of 5"),
        ("Q1\tC2\t0\t1\ttrue\tmore", "6 columns instead of 5"),
        ("Q1\tC2\t0\thigh\ttrue", "score 'high' is not a finite number"),
        ("Q1\tC2\t0\tNaN\ttrue", "score 'NaN' is not a finite number"),
        ("Q1\tC2\t0\t1\tGood", "label 'Good' is neither true nor false"),
        ("Q1\tC1\t0\t1\ttrue", "candidate C1 of query Q1 is in the file twice"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = written(tmp_path / "pred", f"Q1\tC1\t0\t1\ttrue\n{line}\n")
    with pytest.raises(InputError, match=f"pred:2: {problem}"):
        read_official(path)


def test_file_that_is_missing_empty_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_official(tmp_path / "absent")
    with pytest.raises(InputError, match="Is a directory"):
        read_official(tmp_path)
    with pytest.raises(InputError, match="has no lines"):
        read_official(written(tmp_path / "empty", "\n"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_official(tmp_path / "binary")


def test_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    rows = [OfficialRow("Q1", "C1", 1.0, True), OfficialRow("Q1", "two words", 1.0, True)]
    with pytest.raises(InputError, match="'two words' is empty or contains a blank"):
        write_official(tmp_path / "pred", rows)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        write_official(tmp_path / "absent" / "pred", rows[:1])


def test_written_columns(tmp_path: Path) -> None:
    write_official(tmp_path / "pred", [OfficialRow("Q1", "C1", 0.1, True), OfficialRow("Q1", "C2", -3.0, False)])
    assert (tmp_path / "pred").read_text() == "Q1\tC1\t0\t0.1\ttrue\nQ1\tC2\t0\t-3.0\tfalse\n"


words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
rows = st.builds(OfficialRow, words, words, st.floats(allow_nan=False, allow_infinity=False), st.booleans(), words)


@given(rows=st.lists(rows, min_size=1, unique_by=lambda row: row[:2]))
def test_what_was_written_is_read_back(tmp_path_factory, rows) -> None:
    path = tmp_path_factory.mktemp("official") / "pred"
    write_official(path, rows)
    assert read(path) == rows
