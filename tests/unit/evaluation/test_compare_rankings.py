"""Prediction files beside each other: by hand on literal files."""

from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.errors import InputError
from cqa_spark.evaluation.compare_files import RankingComparison, compare_rankings
from cqa_spark.evaluation.evaluate import standard_errors
from cqa_spark.evaluation.files.semeval import COMPARED_MEASURES, ranked_file, read_official
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
    assert [each for each in beside if each.measure == "F1" and each.file != str(gold)] == [
        each for each in alone if each.measure == "F1"
    ]


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
        "MAP@10 right 100.00 100.00\N{EN DASH}100.00",
        "MAP@10 wrong 50.00 50.00\N{EN DASH}50.00 \N{MINUS SIGN}50.00 p = 0.031 0/0/6 \N{EN DASH}",
    ]
    assert "6 queries, in percentage points" in printed


def test_the_command_names_gold_files(files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    gold, _, wrong = map(str, files)
    assert main(["compare-files", gold, gold, wrong, "--resampling.resamples", "99"]) == 0
    printed = capsys.readouterr().out
    assert [line.split() for line in printed.splitlines() if line.startswith("F1")] == [
        ["F1", "gold", "\N{EN DASH}"],
        ["F1", "wrong", "66.67", "66.67\N{EN DASH}66.67", *["\N{EN DASH}"] * 3],
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
