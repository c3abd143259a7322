"""Prediction files beside each other: by hand on literal files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.cli import main
from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.evaluation.compare_files import RankingComparison, compare_rankings
from cqa_spark.evaluation.evaluate import JudgedRanking, standard_errors
from cqa_spark.evaluation.files import semeval as population_of_a_file
from cqa_spark.evaluation.files.semeval import (
    COMPARED_MEASURES,
    JudgedPopulation,
    OfficialRow,
    in_words,
    population,
    ranked_file,
    read_official,
    write_official,
)
from cqa_spark.evaluation.measure import Candidate, RankedQuery
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.bootstrap import RESAMPLES, Resampling
from cqa_spark.settings.sections import ResamplingSettings

QUERIES = 6


def compare_files(gold: Path, predictions: list[Path], resamples: int = RESAMPLES) -> list[RankingComparison]:
    rankings = [ranked_file(read_official(gold), read_official(path)) for path in predictions]
    return compare_rankings(rankings, [*map(parse_measure, COMPARED_MEASURES)], Resampling(resamples))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Gold, a file that is right everywhere, and one that is wrong everywhere."""
    gold, right, wrong = (tmp_path / name for name in ("gold", "right", "wrong"))
    for path, good, bad in ((gold, 1, 0), (right, 0.9, 0.1), (wrong, 0.1, 0.9)):
        other = "true" if path == wrong else "false"
        rows = [
            f"Q{query}\tG{query}\t1\t{good}\ttrue\nQ{query}\tB{query}\t2\t{bad}\t{other}\n" for query in range(QUERIES)
        ]
        path.write_text("".join(rows))
    return gold, right, wrong


def test_the_test_counts_every_way_to_swap_queries(files: tuple[Path, Path, Path]) -> None:
    gold, right, wrong = files
    first, second = (each for each in compare_files(gold, [right, wrong]) if each.measure == "MAP@10")
    assert (first.value, first.low, first.high, first.difference, first.p_value) == (1, 1, 1, 0, 1)
    assert (second.value, second.low, second.high, second.difference) == (0.5, 0.5, 0.5, -0.5)
    # Of the 64 ways to swap six queries, all and none of them part the files as far as they are.
    assert second.p_value == pytest.approx(2 / 2**QUERIES)


def test_a_measure_after_the_other_and_the_files_in_their_order(files: tuple[Path, Path, Path]) -> None:
    gold, right, wrong = files
    found = [each.record() for each in compare_files(gold, [wrong, right, wrong], resamples=99)]
    assert [(each["measure"], each["file"]) for each in found] == [
        (measure, str(file)) for measure in COMPARED_MEASURES for file in (wrong, right, wrong)
    ]
    assert {each["queries"] for each in found} == {QUERIES}
    assert [each["difference"] for each in found if each["measure"] == "Accuracy"] == [0, 0.5, 0]


def test_a_gold_file_has_no_measures_of_labels(files: tuple[Path, Path, Path]) -> None:
    gold, _, wrong = files
    found = {
        (each["measure"], each["file"]): each for each in (row.record() for row in compare_files(gold, [gold, wrong]))
    }
    given, compared = found["MAP@10", str(gold)], found["MAP@10", str(wrong)]
    assert (given["value"], compared["value"], compared["difference"]) == (1, 0.5, -0.5)
    blank = dict.fromkeys(given) | {"measure": "F1", "file": str(gold), "queries": QUERIES, "baseline": str(gold)}
    assert found["F1", str(gold)] == blank
    compared = found["F1", str(wrong)]
    assert (compared["value"], compared["difference"], compared["p_value"]) == (2 / 3, None, None)


def test_a_gold_file_is_left_out_of_tests_of_labels(files: tuple[Path, Path, Path]) -> None:
    gold, right, wrong = files
    alone, beside = compare_files(gold, [right, wrong]), compare_files(gold, [right, gold, wrong])
    assert [repr(row) for row in beside if row.measure == "F1" and row.file != str(gold)] == [
        repr(row) for row in alone if row.measure == "F1"
    ]  # some of their values are NaN


def test_files_of_other_queries_are_refused(files: tuple[Path, Path, Path]) -> None:
    gold, right, wrong = files
    wrong.write_text("".join(wrong.read_text().splitlines(keepends=True)[2:]))
    with pytest.raises(InputError, match="a paired test needs the same queries"):
        compare_files(gold, [right, wrong])


def test_the_command_prints_points(files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    gold, right, wrong = map(str, files)
    assert main(["compare-files", gold, right, wrong, "--resampling.resamples", "99"]) == 0
    printed = capsys.readouterr().out
    assert [" ".join(line.split()) for line in printed.splitlines() if line.startswith("MAP@10")] == [
        "MAP@10 right 100.00 [100.00, 100.00]",
        "MAP@10 wrong 50.00 [50.00, 50.00] \N{MINUS SIGN}50.00 p = 0.031 0/0/6 \N{EN DASH}",
    ]
    assert "6 queries, in percentage points" in printed


def test_the_command_names_gold_files(files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    gold, _, wrong = map(str, files)
    assert main(["compare-files", gold, gold, wrong, "--resampling.resamples", "99"]) == 0
    printed = capsys.readouterr().out
    assert [line.split() for line in printed.splitlines() if line.startswith("F1")] == [
        ["F1", "gold", "\N{EN DASH}"],
        ["F1", "wrong", "66.67", "[66.67,", "66.67]", *["\N{EN DASH}"] * 3],
    ]
    assert "These files predict no labels: gold." in " ".join(printed.split())


def by_query(tmp_path: Path, name: str, ranks: list[int]) -> Path:
    """A file whose only hit has this rank in each query, of two candidates."""
    rows = [f"Q{query}\tG\t1\t{-rank}\ttrue\nQ{query}\tB\t2\t-1.5\tfalse\n" for query, rank in enumerate(ranks)]
    (tmp_path / name).write_text("".join(rows))
    return tmp_path / name


@pytest.fixture
def four(tmp_path: Path) -> tuple[Path, list[Path]]:
    """Gold, and files that are right on both, the first, the second half, and none of four queries."""
    ranks = {"all": [1, 1, 1, 1], "first": [1, 1, 2, 2], "second": [2, 2, 1, 1], "none": [2, 2, 2, 2]}
    return by_query(tmp_path, "gold", [1, 1, 1, 1]), [by_query(tmp_path, name, each) for name, each in ranks.items()]


def test_wins_and_effect_size(four: tuple[Path, list[Path]]) -> None:
    gold, files = four
    rankings = [ranked_file(read_official(gold), read_official(path))._replace(name=path.name) for path in files]
    found = compare_rankings(rankings, [parse_measure("MRR@10")], Resampling(99), [1, 2])
    assert [(each.baseline, each.file, each.wins, each.ties, each.losses) for each in found] == [
        ("first", "all", 2, 2, 0), ("first", "first", None, None, None), ("first", "second", 2, 0, 2),
        ("first", "none", 0, 2, 2),
        ("second", "all", 2, 2, 0), ("second", "second", None, None, None), ("second", "none", 0, 2, 2),
    ]  # fmt: skip
    assert [each.difference for each in found] == [0.25, 0, 0, -0.25, 0.25, 0, -0.25]
    # Differences of 0, 0, 1/2 and 1/2: the mean is 1/4, the standard deviation 1 / sqrt(12).
    assert found[0].effect_size == pytest.approx(12**0.5 / 4)
    assert (found[0].difference_low, found[0].difference_high) == (0, 0.5)
    # Three and two tests: of 16 ways to swap queries, 8 differ as much as the files do; all are adjusted to 1.
    assert [each.p_value for each in found] == [1.0] * 7


def test_the_command_compares_with_several_baselines(
    four: tuple[Path, list[Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    gold, files = four
    command = ["compare-files", str(gold), *map(str, files), "--measures", "MRR@10", "--resampling.resamples", "99"]
    assert main([*command, "--baselines", str(files[1]), str(files[2]), "--format", "markdown"]) == 0
    heading, marks, *rows = capsys.readouterr().out.splitlines()
    assert heading == "| measure | file | value | baseline | difference | better/equal/worse | effect size |"
    assert marks == "| --- | --- | ---: | --- | ---: | ---: | ---: |"
    assert len(rows) == 7
    assert rows[0].split("|")[4:8] == [" first ", " +25.00 p = 1.000 ", " 2/2/0 ", " +0.87 "]
    assert main([*command, "--baselines", str(gold)]) == 2
    assert "gold: not among the prediction files" in capsys.readouterr().err
    assert main([*command, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("measure,file,queries,value,low,high,difference,p_value,baseline,")


def test_the_seed_is_that_of_the_settings() -> None:
    assert Resampling() == Resampling(**ResamplingSettings().model_dump())


def test_threads_of_one_original_question_are_one_sample(tmp_path: Path) -> None:
    """A right and a wrong question: a second thread of each adds no certainty if ids tell their question."""

    def errors(*queries: tuple[str, bool]) -> float:
        gold, ours = tmp_path / "gold", tmp_path / "ours"
        gold.write_text(
            "".join(f"{query}\tG{query}\t1\t1\ttrue\n{query}\tB{query}\t2\t0\tfalse\n" for query, _ in queries)
        )
        ours.write_text(
            "".join(
                f"{query}\tG{query}\t1\t{right:d}\ttrue\n{query}\tB{query}\t2\t0.5\tfalse\n" for query, right in queries
            )
        )
        return standard_errors(ranked_file(read_official(gold), read_official(ours)), ["MAP@10"])["MAP@10"]

    alone = [(f"Q{number}", number % 3 > 0) for number in range(9)]
    threads = [(f"{query}_R{thread}", right) for query, right in alone for thread in (1, 2)]
    others = [(f"T{query}{thread}", right) for query, right in alone for thread in (1, 2)]
    assert errors(*threads) == pytest.approx(errors(*alone), abs=0.003)
    assert errors(*others) == pytest.approx(errors(*alone) / 2**0.5, abs=0.003)


# Official prediction and gold files: read, written, matched, refused.

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


# The populations of gold files: literal files, exact values.

LABELS = (["true", "false"], ["false"], ["true"], ["false"])


def test_a_random_and_the_best_order_of_the_queries(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.write_text("q1 a 1 1 false\nq1 b 2 0.5 true\nq2 c 1 1 false\nq3 d 1 1 true\n")
    found = population(read_official(gold), "MAP@10")
    # q1: 1 or 1/2; q2 has no relevant candidate and counts 0; q3: 1.
    assert found == {"queries": 3, "candidates": 4, "random": pytest.approx((3 / 4 + 0 + 1) / 3), "best": 2 / 3}


def test_a_random_order_of_many_queries_is_estimated_from_every_nth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(population_of_a_file, "MOST_QUERIES", 2)
    gold = tmp_path / "gold"
    gold.write_text("".join(f"q{number} {label[0]} 1 1 {label}\n" for number in range(4) for label in LABELS[number]))
    # q0: 1 or 1/2; q2: 1.
    assert population(read_official(gold), "MAP@10") == {
        "queries": 4,
        "candidates": 5,
        "random": (3 / 4 + 1) / 2,
        "best": 2 / 4,
    }


def test_a_population_in_words() -> None:
    values = JudgedPopulation(queries=244, candidates=2440, random=0.4485, best=0.8648)
    assert (
        in_words(values, "MAP") == "244 queries with 2,440 candidates; MAP of a random order 44.85, of the best 86.48"
    )
