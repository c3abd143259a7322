"""``cqa runs list`` and ``cqa runs show``: the log of runs."""

import json
import math
from collections.abc import Collection, Iterable
from dataclasses import asdict, replace

import yaml

from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import RecordedScore, RunLog, RunRecord
from cqa_spark.lake.schemas.night import FIRST_ANSWERS, NIGHT_WORTH, SERVED_ORDERS, TRAINED_WORTH
from cqa_spark.lake.snapshot import Snapshot, published_runs
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.reports.kit.wording import duration, interval, points
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.settings.runs import ListRunsSettings, ShowRunSettings

_SEEN = "▶"


def list_runs(settings: ListRunsSettings) -> None:
    """Print every run of a lake with its last status; the published ones are marked, one of every corpus."""
    lake = read_lake(settings)
    seen = {record.run_id: record for record in published_runs(lake)}
    newest = [
        seen[record.run_id] if record.run_id in seen and _precedes(record, seen[record.run_id]) else record
        for record in RunLog(lake.objects).newest()
    ]
    if settings.format == "json":
        print(json.dumps([_listed(record, seen) for record in newest], indent=2))
    elif newest:
        Terminal().table(runs_table(newest, seen))
    else:
        Terminal().line(f"no runs in {settings.lake}")


def _precedes(record: RunRecord, published: RunRecord) -> bool:
    """Whether a record of the log is older than the publication that the pointer names.

    If all are, the log lacks the publication, because its writer was interrupted; the next one appends it.
    """
    return record.recorded_at < published.recorded_at


def _listed(record: RunRecord, seen: Collection[str] = ()) -> dict[str, object]:
    return {
        "run_id": record.run_id,
        "status": record.status,
        "published": record.run_id in seen,
        "recorded_at": record.recorded_at.isoformat(),
        "started_at": record.started_at and record.started_at.isoformat(),
        "ended_at": record.ended_at and record.ended_at.isoformat(),
        "seconds": record.seconds,
        "score": asdict(record.scores[0]) if record.scores else None,
        "job": record.job,
        "corpus": record.corpus,
        "sites": list(record.sites),
        "message": record.message,
    }


def runs_table(newest: Iterable[RunRecord], seen: Collection[str]) -> TextTable:
    """A row for each run.

    Args:
        newest: the newest record of each run.
        seen: ids of the published runs.
    """
    # Columns that people copy or search for are not shortened in a narrow window.
    whole = [Column(name, whole=True) for name in ("", "run", "status", "started")]
    caption = f"{_SEEN} published; score: of the system that the report presents first"
    table = TextTable(*whole, number("duration"), number("score"), "about", "job", caption=caption)
    for record in newest:
        mark = _SEEN if record.run_id in seen else ""
        job = f"{record.job}: {record.message}" if record.message else record.job
        started = record.started_at or record.recorded_at
        score = f"{record.scores[0].measure} {points(record.scores[0].value)}" if record.scores else ""
        took = "" if record.seconds is None else duration(record.seconds)
        about = _about(record, most=1)
        table.add_row(mark, record.run_id, record.status, f"{started:%Y-%m-%d %H:%M}", took, score, about, job)
    return table


def _about(record: RunRecord, *, most: int) -> str:
    """The corpus and the sites of a run, or their number if they are more than ``most``."""
    sites = ", ".join(record.sites) if len(record.sites) <= most else f"{len(record.sites)} sites"
    return ": ".join(filter(None, (record.corpus, sites)))


def show_run(settings: ShowRunSettings) -> None:
    """Print a run's inputs, steps, tables, artifacts and settings."""
    lake = read_lake(settings)
    log = RunLog(lake.objects)
    records = log.records(settings.run_id)
    if not records:
        raise InputError(f"no run {settings.run_id} in {settings.lake}", "list the runs: cqa runs list")
    for published in published_runs(lake):
        if published.run_id == settings.run_id and all(_precedes(record, published) for record in records):
            records.append(replace(published, sequence=log.next_sequence()))
    last = records[-1]
    if settings.format == "json":
        print(json.dumps(_shown(records) | _worth(Snapshot(lake, last)), indent=2))
        return
    terminal = Terminal()
    terminal.line(f"run {last.run_id}: {last.status} ({last.message or last.job}), code {last.code_version}")
    if last.sites:
        terminal.text(f"of {_about(last, most=len(last.sites))}")
    if last.started_at and last.ended_at and last.seconds is not None:
        ends = f"{last.started_at:%Y-%m-%d %H:%M:%S} to {last.ended_at:%Y-%m-%d %H:%M:%S} UTC"
        terminal.line(f"from {ends}: {duration(last.seconds)}")
    scores = ((s.system, s.measure, points(s.value), _interval(s)) for s in last.scores)
    inputs = ((i.path, i.split, i.bytes, (i.sha256 or "")[:12]) for i in last.inputs)
    steps = ((s.step, s.rows_in, s.rows_out, s.rows_quarantined, s.seconds) for s in last.steps)
    for table in (
        _table("scores", ("system", "measure", *map(number, ("value", "interval"))), scores),
        _table("inputs", ("path", "split", number("bytes"), "sha256"), inputs),
        _table("steps", ("step", *map(number, ("rows in", "rows out", "quarantined", "seconds"))), steps),
        _table("tables", ("table", number("rows")), sorted(last.tables.items())),
        _table("artifacts", ("artifact", "path"), sorted(last.artifacts.items())),
        _table("log", (number("sequence"), "when", "status", "job", "message"), map(_log_row, records)),
    ):
        terminal.line()
        terminal.table(table)
    terminal.line()
    terminal.text(f"settings, hash {last.config_hash}:\n{last.config}")


def _interval(score: RecordedScore) -> str:
    return "" if score.low is None or score.high is None else interval(score.low, score.high)


def _worth(snapshot: Snapshot) -> dict[str, list[Entry]]:
    """What a night is worth, what it serves and what changed, by table; infinite bounds, of a single thread, are null.

    Empty for a run that has not succeeded, or whose files were collected.
    """
    try:
        tables = [table for table in (NIGHT_WORTH, TRAINED_WORTH, SERVED_ORDERS, FIRST_ANSWERS) if snapshot.has(table)]
    except ContractError:
        return {}
    return {table.name: [_finite(entry) for entry in snapshot.entries(table)] for table in tables}


def _finite(entry: Entry) -> Entry:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in entry.items()
    }


def _shown(records: list[RunRecord]) -> dict[str, object]:
    """A run as plain data: its newest record, with the settings as a mapping, and its log."""
    last = asdict(records[-1])
    log = [_listed(record) | {"sequence": record.sequence} for record in records]
    settings = yaml.safe_load(last.pop("config"))
    times = {name: log[-1][name] for name in ("recorded_at", "started_at", "ended_at", "seconds")}
    return last | times | {"settings": settings, "log": log}


def _log_row(record: RunRecord) -> tuple[object, ...]:
    return record.sequence, f"{record.recorded_at:%Y-%m-%d %H:%M:%S}", record.status, record.job, record.message or ""


def _table(title: str, columns: Iterable[str | Column], rows: Iterable[tuple[object, ...]]) -> TextTable:
    cells = (["" if value is None else str(value) for value in row] for row in rows)
    return TextTable(*columns, title=title, rows=cells)
