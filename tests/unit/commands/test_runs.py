"""The list of runs in a terminal and as JSON."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from cqa_spark.cli import main
from cqa_spark.commands.runs import runs_table
from cqa_spark.lake.pointer import change_pointer, claim
from cqa_spark.lake.run_log import RecordedScore, RunLog, RunRecord
from cqa_spark.object_store.folder import Folder
from cqa_spark.process.terminal import Terminal


def record(run_id: str, message: str) -> RunRecord:
    return RunRecord(
        run_id, "succeeded", "nightly", config_hash="c0ffee", config="", code_version="0", message=message,
        scores=(RecordedScore("night_answers", "P@1", 0.751, 0.7, 0.8),),
        started_at=datetime(2026, 11, 23, 11, 40, tzinfo=UTC), ended_at=datetime(2026, 11, 23, 11, 42, 5, tzinfo=UTC),
        recorded_at=datetime(2026, 11, 23, 11, 43, tzinfo=UTC), corpus="tables", sites=("beer.example.org",),
    )  # fmt: skip


def test_ids_stay_whole_in_a_narrow_window_and_what_readers_see_is_marked() -> None:
    ids = ("20261123T112633Z-e5a31fa5", "20261124T112633Z-0a1b2c3d")
    shown = StringIO()
    terminal = Terminal(Console(file=shown, width=80, force_terminal=True, color_system=None))
    terminal.table(runs_table([record(run_id, "passed " * 9) for run_id in ids], seen=ids[:1]))
    lines = shown.getvalue().splitlines()
    marked, other = (next(line for line in lines if run_id in line) for run_id in ids)
    assert marked.split()[:5] == ["▶", ids[0], "succeeded", "2026-11-23", "11:40"]
    assert other.split()[:9] == [ids[1], "succeeded", "2026-11-23", "11:40", "2", "min", "05", "s", "P@1"]


def test_a_message_is_shown_as_it_was_given() -> None:
    shown = StringIO()
    message = "[/b] A. [red]Editor[/red] says so of [dumps] \x1b[31mred"
    Terminal(Console(file=shown)).table(runs_table([record("mine", message)], seen=()))
    assert "tables: beer.example.org" in shown.getvalue()
    assert "nightly: [/b] A. [red]Editor[/red] says so of [dumps] ␛[31mred" in shown.getvalue()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake with one published run."""
    objects = Folder(str(tmp_path))
    logged = RunLog(objects).append(record("monday", "passed"))
    claim(objects, 1)
    point_to(objects, replace(logged, config="evaluation:\n  seed: 1\n"))
    return tmp_path


def point_to(objects: Folder, published: RunRecord) -> None:
    change_pointer(objects, 1, lambda pointer: pointer.model_copy(update={"record": published}))


def test_runs_as_json(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "list", "--lake", str(lake), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "run_id": "monday",
            "status": "succeeded",
            "published": True,
            "recorded_at": "2026-11-23T11:43:00+00:00",
            "started_at": "2026-11-23T11:40:00+00:00",
            "ended_at": "2026-11-23T11:42:05+00:00",
            "seconds": 125.0,
            "score": {"system": "night_answers", "measure": "P@1", "value": 0.751, "low": 0.7, "high": 0.8},
            "job": "nightly",
            "corpus": "tables",
            "sites": ["beer.example.org"],
            "message": "passed",
        }
    ]


def test_a_run_as_json(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    RunLog(Folder(str(lake))).append(replace(record("monday", "again"), config="evaluation:\n  seed: 1\n"))
    assert main(["runs", "show", "monday", "--lake", str(lake), "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["settings"] == {"evaluation": {"seed": 1}}
    assert [(each["sequence"], each["message"]) for each in shown["log"]] == [(1, "passed"), (2, "again")]


@pytest.mark.parametrize("command", ["list", "show monday"])
def test_the_log_is_read_without_pandas(lake: Path, command: str) -> None:
    code = (
        "import sys; from cqa_spark.cli import main; main(sys.argv[1:])\n"
        "print(sorted({'pandas', 'pyspark.ml', 'boto3'} & set(sys.modules)), file=sys.stderr)"
    )
    arguments = ["runs", *command.split(), "--lake", str(lake)]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.stderr == "[]\n"


def test_a_publication_that_the_log_lacks_is_shown(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its writer was interrupted, or the last file of the log was lost; the next writer appends it."""
    later = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
    published = replace(record("monday", "passed all checks"), status="published", recorded_at=later)
    point_to(Folder(str(lake)), published)
    assert main(["runs", "list", "--lake", str(lake), "--format", "json"]) == 0
    assert [(run["status"], run["message"]) for run in json.loads(capsys.readouterr().out)] == [
        ("published", "passed all checks")
    ]
    assert main(["runs", "show", "monday", "--lake", str(lake), "--format", "json"]) == 0
    log = json.loads(capsys.readouterr().out)["log"]
    assert [(entry["sequence"], entry["status"]) for entry in log] == [(1, "succeeded"), (2, "published")]
