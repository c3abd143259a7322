"""The list of runs in a terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO

from rich.console import Console

from cqa_spark.commands.runs import runs_table
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.process.terminal import Terminal


def record(run_id: str, message: str) -> RunRecord:
    return RunRecord(
        run_id, "succeeded", "nightly", config_hash="c0ffee", config="", code_version="0", message=message,
        recorded_at=datetime(2026, 11, 23, 11, 43, tzinfo=UTC),
    )  # fmt: skip


def test_ids_stay_whole_in_a_narrow_window_and_what_readers_see_is_marked() -> None:
    ids = ("20261123T112633Z-e5a31fa5", "20261124T112633Z-0a1b2c3d")
    shown = StringIO()
    terminal = Terminal(Console(file=shown, width=80, force_terminal=True, color_system=None))
    terminal.table(runs_table([record(run_id, "passed " * 9) for run_id in ids], seen=ids[0]))
    lines = shown.getvalue().splitlines()
    marked, other = (next(line for line in lines if run_id in line) for run_id in ids)
    assert marked.split()[:5] == ["▶", ids[0], "succeeded", "2026-11-23", "11:43"]
    assert other.split()[:4] == [ids[1], "succeeded", "2026-11-23", "11:43"]


def test_a_message_is_shown_as_it_was_given() -> None:
    shown = StringIO()
    message = "[/b] A. [red]Editor[/red] says so of [dumps] \x1b[31mred"
    Terminal(Console(file=shown)).table(runs_table([record("mine", message)], seen=None))
    assert "nightly: [/b] A. [red]Editor[/red] says so of [dumps] ␛[31mred" in shown.getvalue()
