"""Checks of literal runs against judgments."""

import json
from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.evaluation.files.checking import RunCheck, check_run
from cqa_spark.evaluation.files.pairs import pairs_of_mapping

GRADES = pairs_of_mapping({"Q-01": {"a": 1, "b": 0}, "q2": {"a": 2, "b": 0, "c": 0}, "q3": {"a": 1}})


def test_a_run_that_fits_has_nothing_to_say() -> None:
    run = pairs_of_mapping({"Q-01": {"b": 2.0, "a": 1.0}, "q2": {"b": 1.0, "c": 1.0, "a": 0.5}, "q3": {"a": 1.0}})
    assert check_run(GRADES, run) == RunCheck(3, 3, (), (), (), 0.0, (), ())


def test_ids_that_nearly_match_unjudged_documents_ties_and_order_are_named() -> None:
    run = pairs_of_mapping({"q1": {"a": 1.0}, "q2": {"b": 1.0, "x": 3.0, "a": 1.0, "y": 0.0}, "other": {"a": 1.0}})
    assert check_run(GRADES, run) == RunCheck(
        judged=3, ranked=3, unranked=("Q-01", "q3"), unjudged=("q1", "other"), near=(("q1", "Q-01"),),
        unjudged_first=0.5, tied=("q2",), disordered=("q2",),
    )  # fmt: skip


def test_only_the_first_ten_documents_are_looked_at_for_judgments() -> None:
    run = pairs_of_mapping({"q3": {"a": 99.0, **{f"d{number}": float(number) for number in range(20)}}})
    assert check_run(GRADES, run).unjudged_first == 0.9


@pytest.mark.parametrize(("query", "code"), [("q2", 0), ("q9", 3)])
def test_the_command_fails_where_nothing_can_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], query: str, code: int
) -> None:
    qrels, run = tmp_path / "dev.qrels", tmp_path / "a.run"
    qrels.write_text("q2 0 a 1\n")
    run.write_text(f"{query} Q0 a 1 2.0 x\n")
    assert main(["check-files", str(qrels), str(run), "--format", "json"]) == code
    [check] = json.loads(capsys.readouterr().out)
    assert (check["run"], check["judged"], check["unjudged"]) == (str(run), 1, [query] if code else [])
