"""The list of runs in a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.console import Console

from cqa_spark.commands.runs import runs_table
from cqa_spark.lake.run_record import RunRecord


def test_ids_stay_whole_in_a_narrow_window_and_what_readers_see_is_marked() -> None:
    ids = ("20261123T112633Z-e5a31fa5", "20261124T112633Z-0a1b2c3d")
    records = [
        RunRecord(
            run_id, "succeeded", "nightly", config_hash="c0ffee", config="", code_version="0", message="passed " * 9,
            recorded_at=datetime(2026, 11, 23, 11, 43, tzinfo=UTC),
        )
        for run_id in ids
    ]  # fmt: skip
    console = Console(width=80)
    with console.capture() as shown:
        console.print(runs_table(records, seen=ids[0]))
    lines = shown.get().splitlines()
    marked, other = (next(line for line in lines if run_id in line) for run_id in ids)
    assert marked.split()[:5] == ["▶", ids[0], "succeeded", "2026-11-23", "11:43"]
    assert other.split()[:4] == [ids[1], "succeeded", "2026-11-23", "11:43"]
