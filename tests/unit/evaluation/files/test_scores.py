"""Correlations of score files, on literal files."""

from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.errors import InputError
from cqa_spark.evaluation.files.scores import (
    SetCorrelation,
    compare_scores,
    evaluate_scores,
    mean_correlation,
    read_gold,
    read_scores,
    write_scores,
)
from cqa_spark.evaluation.measure import Candidate, RankedQuery
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.bootstrap import Resampling


def written(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_unscored_pairs_and_confidences_do_not_count(tmp_path: Path) -> None:
    gold = written(tmp_path / "STS.gs.news.txt", "1", "", "2", "4")
    prediction = written(tmp_path / "news.out", "0.1\t90", "9", "0.2\t100", "0.9\t1")
    (found,) = evaluate_scores(gold, [prediction])
    # Deviations from the means: gold -4/3, -1/3, 5/3 and scores -0.3, -0.2, 0.5.
    assert found == SetCorrelation(str(prediction), "news", 3, pytest.approx(1.3 / (42 / 9 * 0.38) ** 0.5))


def test_files_of_pairs_are_gold_too(tmp_path: Path) -> None:
    (gold,) = read_gold(written(tmp_path / "2015/belief.tsv", "1.5\tA.\tB.", "\tC.\tD."))
    assert gold == ("belief", [1.5, None])


def test_an_official_input_has_its_gold_scores_beside_it(tmp_path: Path) -> None:
    written(tmp_path / "2012/STS.gs.surprise.OnWN.txt", "1.5", "")
    (gold,) = read_gold(written(tmp_path / "2012/STS.input.surprise.OnWN.txt", "A.\tB.", "C.\tD."))
    assert gold == ("surprise.OnWN", [1.5, None])


def test_sets_of_a_folder_are_averaged_in_both_ways(tmp_path: Path) -> None:
    written(tmp_path / "gold/STS.gs.a.txt", "1", "2", "3")
    written(tmp_path / "gold/STS.gs.b.txt", "1", "3")
    written(tmp_path / "out/STS.output.a.txt", "1", "2", "3")
    written(tmp_path / "out/STS.output.b.txt", "1", "0")
    found = evaluate_scores(tmp_path / "gold", [tmp_path / "out"])
    assert [(row.set, row.pairs, round(row.pearson, 12)) for row in found] == [
        ("a", 3, 1.0),
        ("b", 2, -1.0),
        ("weighted mean", 5, 0.2),
        ("mean", 5, 0.0),
    ]


def test_a_correlation_has_a_standard_error(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.txt", "1", "2", "3", "4", "5")
    prediction = written(tmp_path / "out.txt", "1", "3", "2", "5", "4")
    value, error = mean_correlation([(gold, prediction)], weighted=True)
    assert value == pytest.approx(0.8)
    assert 0.1 < error < 0.5
    assert mean_correlation([(gold, gold)], weighted=True) == (pytest.approx(1.0), pytest.approx(0.0, abs=0.2))


@pytest.mark.parametrize(("weighted", "expected"), [(True, 0.2), (False, 0.0)])
def test_the_mean_of_sets_has_a_standard_error(tmp_path: Path, *, weighted: bool, expected: float) -> None:
    gold, two = written(tmp_path / "gold.txt", "1", "2", "3"), written(tmp_path / "two.txt", "1", "", "3")
    files = [(gold, gold), (two, written(tmp_path / "out.txt", "1", "7", "0"))]
    value, error = mean_correlation(files, weighted=weighted)
    assert value == pytest.approx(expected)
    assert 0 < error < 1


def test_comparison_has_a_row_for_each_set_mean_and_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path / f"gold/STS.gs.{name}.txt", "1", "2", "3", "5")
        written(tmp_path / f"one/STS.output.{name}.txt", "1", "2", "3", "4")
        written(tmp_path / f"other/STS.output.{name}.txt", "4", "1", "3", "1")
    found = compare_scores(tmp_path / "gold", [tmp_path / "one", tmp_path / "other"], Resampling(99))
    assert [each.measure for each in found] == [
        name for name in ("Pearson a", "Pearson b", "weighted mean", "mean") for _ in range(2)
    ]
    assert all(each.low <= each.value <= each.high for each in found)
    assert found[1].difference == found[1].value - found[0].value
    # Correlations of .983 and -.618 with the gold, and of -.602 with each other: t = -3.404 with one degree of freedom.
    assert [each.williams for each in found[:2]] == [1.0, pytest.approx(0.18191, abs=1e-5)]
    assert isnan(found[-1].williams)
    assert found[0].value == pytest.approx(found[-2].value)


def test_files_of_other_lengths_are_refused(tmp_path: Path) -> None:
    gold, prediction = written(tmp_path / "gold", "1", "2"), written(tmp_path / "out", "1")
    with pytest.raises(InputError, match="1 scores for the 2 pairs"):
        evaluate_scores(gold, [prediction])


@pytest.mark.parametrize("line", ["nan", "inf", "", "one"])
def test_what_is_no_score_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"out:2: .* is not a score"):
        read_scores(written(tmp_path / "out", "1", line, "3"))


def test_scores_are_written_in_full_precision(tmp_path: Path) -> None:
    assert write_scores(tmp_path / "out", [0.1 + 0.2, 5.0]) == 2
    assert (tmp_path / "out").read_text() == "0.30000000000000004\n5.0\n"


def test_a_constant_correlates_with_nothing() -> None:
    pearson = parse_measure("Pearson")
    constant = [RankedQuery([Candidate(True, 0.1, True, score)]) for score in (0.1, 0.2, 0.4)]
    assert pearson.total(pearson.components_of(constant)) == 0.0


@given(
    st.floats(-1e9, 1e9),
    st.floats(1e-3, 1e6),
    st.lists(st.tuples(st.integers(-1000, 1000), st.integers(0, 50)), min_size=3, max_size=30),
)
def test_adding_a_constant_and_other_units_change_nothing(
    constant: float, unit: float, pairs: list[tuple[int, int]]
) -> None:
    pearson = parse_measure("Pearson")
    plain, moved = (
        pearson.total(
            pearson.components_of(RankedQuery([Candidate(True, gold / 10, True, score)]) for score, gold in of)
        )
        for of in (pairs, [(constant + unit * score, gold) for score, gold in pairs])
    )
    assert moved == pytest.approx(plain, abs=1e-3 if unit < 1 else 1e-6)
