"""A measure over the published runs: in the terminal, as JSON and on a page."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from html_checks import assert_no_requests

from cqa_spark.cli import main
from cqa_spark.lake.pointer import claim
from cqa_spark.lake.run_log import RecordedScore, RunLog, RunRecord
from cqa_spark.object_store.folder import Folder
from cqa_spark.reports.kit.wording import MISSING
from cqa_spark.reports.sections.trend import sparkline

OLDEST = RecordedScore("oldest", "P@1", 0.4)


def record(run_id: str, day: int, *scores: RecordedScore, status: str = "published") -> RunRecord:
    return RunRecord(
        run_id, status, "nightly", "hash", "", "0", scores=scores, ended_at=datetime(2026, 11, day, tzinfo=UTC)
    )


@pytest.fixture
def lake(tmp_path: Path) -> str:
    """Two nights, the second of which was published again, and an experiment that nobody saw."""
    objects = Folder(str(tmp_path / "lake"))
    claim(objects, 1)
    monday = record("monday", 23, RecordedScore("answers", "P@1", 0.7, 0.65, 0.75), OLDEST)
    tuesday = record("tuesday", 24, RecordedScore("answers", "P@1", 0.75), OLDEST)
    for logged in (monday, tuesday, record("seen", 25, OLDEST, status="succeeded"), monday):
        RunLog(objects).append(logged)
    return str(tmp_path / "lake")


def test_what_the_last_report_presents_first_by_run(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "trend", "--lake", lake]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["monday", "2026-11-23", "00:00", "70.00", "[65.00,", "75.00]", MISSING] in lines
    assert ["tuesday", "2026-11-24", "00:00", "75.00", "+5.00"] in lines
    assert lines[0] == ["P@1", "of", "answers:", "▁█"]


def test_another_system_as_json_and_on_a_page(lake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "trend.html"
    command = ["runs", "trend", "--lake", lake, "--system", "oldest", "--format", "json", "--page", str(page)]
    assert main(command) == 0
    point = {"value": 0.4, "low": None, "high": None}
    assert json.loads(capsys.readouterr().out) == {
        "system": "oldest",
        "measure": "P@1",
        "runs": [
            {"run_id": "monday", "ended_at": "2026-11-23T00:00:00+00:00"} | point,
            {"run_id": "tuesday", "ended_at": "2026-11-24T00:00:00+00:00"} | point,
        ],
    }
    text = page.read_text(encoding="utf-8")
    assert_no_requests(text)
    assert "P@1 of oldest by run, with intervals: 11-23 40.00 [40.00, 40.00]; 11-24 40.00 [40.00, 40.00]." in text


def test_a_measure_that_no_run_has_names_those_that_runs_have(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "trend", "--lake", lake, "--measure", "P@2"]) == 3
    assert "did you mean P@1 of answers?" in capsys.readouterr().err


def test_the_height_of_a_character_is_the_value() -> None:
    assert [sparkline(values) for values in ([0.1], [0.2, 0.2], [0.0, 0.5, 1.0])] == ["▁", "▁▁", "▁▅█"]
