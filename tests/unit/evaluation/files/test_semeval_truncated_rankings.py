"""Truncated rankings: values by hand on literal files."""

import json
from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.errors import InputError
from cqa_spark.evaluation.evaluate import JudgedRanking, evaluate
from cqa_spark.evaluation.files.semeval import (
    COMPARED_TRUNCATED_MEASURES,
    TRUNCATED_MEASURES,
    read_official,
    truncated_ranking,
)

GOLD = "Q1 a 1 1 true\nQ1 b 2 0.5 false\nQ2 c 1 1 false\nQ2 d 2 0.5 false\nQ3 e 1 1 true\n"
CUT = "Q1 a 0 0.9 true\nQ1 b 0 0.5 false\nQ2 c 0 0.4 false\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, cut = tmp_path / "gold", tmp_path / "cut.pred"
    gold.write_text(GOLD)
    cut.write_text(CUT)
    return gold, cut


def truncated(gold: Path, prediction: Path) -> JudgedRanking:
    return truncated_ranking(read_official(gold), read_official(prediction))


def test_tmap_of_a_file_of_its_order_and_of_empty_rankings(files: tuple[Path, Path]) -> None:
    gold, cut = files
    ranking = truncated(gold, cut)
    assert (ranking.name, len(ranking.queries)) == (str(cut), 3)
    assert evaluate(ranking, [each.measure for each in TRUNCATED_MEASURES]) == {
        "TMAP": pytest.approx((1 + 1 + 0) / 3),
        "OracleTMAP": pytest.approx((1 + 1 + 0) / 3),
        "UncutTMAP": pytest.approx(((1 + 2 / 3) / 2 + 1 / 2 + 0) / 3),
        "empty": pytest.approx((0 + 1 + 0) / 3),
    }


def test_the_gold_file_is_the_given_order_of_which_nothing_is_cut(files: tuple[Path, Path]) -> None:
    scores = evaluate(truncated(files[0], files[0]), COMPARED_TRUNCATED_MEASURES)
    assert scores["OracleTMAP"] == 1
    assert scores["TMAP"] == scores["UncutTMAP"] == pytest.approx(((1 + 2 / 3) / 2 + 1 / 3 + 1) / 3)


def test_a_candidate_below_the_cut_changes_nothing(files: tuple[Path, Path]) -> None:
    gold, cut = files
    cut.write_text(CUT + "Q2 d 0 0.1 true\nQ3 e 0 0.2 false\n")
    assert evaluate(truncated(gold, cut), ["TMAP"]) == {"TMAP": pytest.approx(2 / 3)}


def test_candidates_of_other_data_are_refused(files: tuple[Path, Path]) -> None:
    gold, cut = files
    cut.write_text(CUT + "Q9 a 0 1 true\n")
    with pytest.raises(InputError, match=r"1 candidates are not in .*gold: a of query Q9"):
        truncated(gold, cut)


def test_the_commands_read_truncated_rankings(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    paths = [*map(str, files), "--task", "duplicate"]
    assert main(["evaluate-file", *paths, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["TMAP"] == pytest.approx(2 / 3)
    assert main(["compare-files", *paths, paths[0], "--resampling.resamples", "9"]) == 0
    assert "OracleTMAP" in capsys.readouterr().out
