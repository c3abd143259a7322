"""The log of runs, for people."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table

from cqa_spark.config.settings import ListRunsSettings, ShowRunSettings
from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import published_run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.runtime.workspace import open_lake

_SEEN = "▶"


def list_runs(settings: ListRunsSettings) -> None:
    """Print every run of a lake with its last status; the one that readers see is marked."""
    lake = open_lake(settings)
    published = published_run(lake)
    newest = RunLog(lake.objects).newest()
    seen = published.run_id if published is not None else None
    Console().print(runs_table(newest, seen) if newest else f"no runs in {settings.lake}")


def runs_table(newest: Iterable[RunRecord], seen: str | None) -> Table:
    """A row for each run.

    Args:
        newest: the newest record of each run.
        seen: id of the run that readers see; None for none.
    """
    # What people copy, and look for, stays whole in a narrow window.
    whole = [Column(name, no_wrap=True) for name in ("", "run", "status", "when")]
    caption = f"{_SEEN} what readers see"
    table = Table(*whole, Column("job", overflow="fold"), box=SIMPLE_HEAD, pad_edge=False, caption=caption)
    for record in newest:
        mark = _SEEN if record.run_id == seen else ""
        job = f"{record.job}: {record.message}" if record.message else record.job
        table.add_row(mark, record.run_id, record.status, f"{record.recorded_at:%Y-%m-%d %H:%M}", job)
    return table


def show_run(settings: ShowRunSettings) -> None:
    """Print a run's inputs, steps, tables, artifacts and settings."""
    records = RunLog(open_lake(settings).objects).records(settings.run_id)
    if not records:
        raise InputError(f"no run {settings.run_id} in {settings.lake}", "see what there is with: cqa runs list")
    last = records[-1]
    console = Console()
    console.print(f"run {last.run_id}: {last.status} ({last.message or last.job}), code {last.code_version}")
    console.print(
        _table(
            "inputs", ("path", "split", "bytes", "sha256"), ((i.path, i.split, i.bytes, i.sha256) for i in last.inputs)
        )
    )
    console.print(
        _table(
            "steps",
            ("step", "rows in", "rows out", "quarantined", "seconds"),
            ((s.step, s.rows_in, s.rows_out, s.rows_quarantined, s.seconds) for s in last.steps),
        )
    )
    console.print(_table("tables", ("table", "version"), sorted(last.table_versions.items())))
    console.print(_table("artifacts", ("artifact", "path"), sorted(last.artifacts.items())))
    console.print(_table("log", ("sequence", "when", "status", "job", "message"), map(_log_row, records)))
    console.print(f"settings, hash {last.config_hash}:\n{last.config}", markup=False, highlight=False)


def _log_row(record: RunRecord) -> tuple[object, ...]:
    return record.sequence, f"{record.recorded_at:%Y-%m-%d %H:%M:%S}", record.status, record.job, record.message or ""


def _table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Table:
    folded = [Column(name, overflow="fold") for name in columns]
    table = Table(*folded, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(str(value) if value is not None else "" for value in row))
    return table
