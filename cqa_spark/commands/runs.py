"""``cqa runs``: the log of runs, what readers see, and whose files stay."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import yaml
from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import ConfigError, ContractError, InputError
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.settings.sections import (
    Force,
    JobSettings,
    KeptPublications,
    OutputFormat,
    TrackedSettings,
    Who,
    forced_by_nobody,
)
from cqa_spark.settings.values import NotHashed, Positional, RunName

if TYPE_CHECKING:
    from cqa_spark.lake.journal import Entry
    from cqa_spark.lake.pointer import Pointer
    from cqa_spark.lake.run_log import RunRecord
    from cqa_spark.lake.snapshot import Snapshot


class RunLogSettings(JobSettings):
    """Base of the settings of commands on the run log."""

    reading: ClassVar[tuple[str, ...]] = ("{job.lake}: the run log",)
    writing: ClassVar[tuple[str, ...]] = ()


class ListRunsSettings(RunLogSettings):
    """List the runs of a lake, and mark the published run."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa runs list --lake build/lake",
        "cqa runs list --lake build/lake --format json",
    )

    format: OutputFormat = "table"


class ShowRunSettings(ListRunsSettings):
    """Show a run: inputs, steps with row counts, tables, settings."""

    examples = ("cqa runs show mine --lake build/lake",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to show")]


class PublishRunSettings(RunLogSettings, TrackedSettings):
    """Publish a finished run, if it passed its checks and all its files are there; publishing is atomic."""

    examples = (
        "cqa runs publish mine --lake build/lake",
        "cqa runs publish mine --lake build/lake --force --who 'A. Editor'",
    )
    writing = ("{job.lake}: the published run, one record of the run log",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to publish")]
    force: Force = False
    who: Who = None

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """``--force`` without ``--who``."""
        return forced_by_nobody(values)


class RollbackSettings(RunLogSettings, TrackedSettings):
    """Publish a run again that was published before, if all its files are there; publishing is atomic."""

    examples = (
        "cqa runs rollback --lake build/lake",
        "cqa runs rollback --lake build/lake --to monday",
    )
    writing = ("{job.lake}: the published run, one record of the run log",)

    to: Annotated[RunName | None, NotHashed()] = Field(
        default=None, description="run to publish again; default: the run published before the current one"
    )


class RestorePointerSettings(RunLogSettings, TrackedSettings):
    """Write published.json anew, if it is damaged, lost or an old copy: the last publications of the run log."""

    examples = ("cqa runs restore-pointer --lake build/lake",)
    writing = ("{job.lake}: published.json, the published tables and the report",)


class CollectGarbageSettings(RunLogSettings):
    """Delete the files that no kept run needs, those of failed runs included; nights do so themselves."""

    examples = ("cqa runs gc --lake build/lake --keep 7",)
    writing = ("{job.lake}: deletes files that neither the last {job.keep} publications nor kept runs need",)

    keep: KeptPublications = 7


class KeepRunSettings(RunLogSettings):
    """Keep the files of a run, whatever is deleted; with --release no longer."""

    examples = ("cqa runs keep mine --lake build/lake", "cqa runs keep mine --lake build/lake --release")
    writing = ("{job.lake}: published.json",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to keep")]
    release: Annotated[bool, NotHashed(), Field(description="treat the run like all others again")] = False


_SEEN = "▶"


def list_runs(settings: ListRunsSettings) -> None:
    """Print every run of a lake with its last status; the published ones are marked, one of every corpus."""
    from cqa_spark.lake.run_log import RunLog
    from cqa_spark.lake.snapshot import published_runs
    from cqa_spark.runtime.workspace import read_lake

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
    from cqa_spark.reports.kit.wording import duration, points

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
    from cqa_spark.lake.run_log import RunLog
    from cqa_spark.lake.snapshot import Snapshot, published_runs
    from cqa_spark.reports.kit.wording import duration, interval, points
    from cqa_spark.runtime.workspace import read_lake

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
        print(json.dumps(_shown(records) | _measured(Snapshot(lake, last)), indent=2))
        return
    terminal = Terminal()
    terminal.line(f"run {last.run_id}: {last.status} ({last.message or last.job}), code {last.code_version}")
    if last.sites:
        terminal.text(f"of {_about(last, most=len(last.sites))}")
    if last.started_at and last.ended_at and last.seconds is not None:
        ends = f"{last.started_at:%Y-%m-%d %H:%M:%S} to {last.ended_at:%Y-%m-%d %H:%M:%S} UTC"
        terminal.line(f"from {ends}: {duration(last.seconds)}")
    scores = []
    for score in last.scores:
        bounds = "" if score.low is None or score.high is None else interval(score.low, score.high)
        scores.append((score.system, score.measure, points(score.value), bounds))
    log_rows = ((r.sequence, f"{r.recorded_at:%Y-%m-%d %H:%M:%S}", r.status, r.job, r.message or "") for r in records)
    inputs = ((i.path, i.split, i.bytes, (i.sha256 or "")[:12]) for i in last.inputs)
    steps = ((s.step, s.rows_in, s.rows_out, s.rows_quarantined, s.seconds) for s in last.steps)
    for table in (
        _table("scores", ("system", "measure", *map(number, ("value", "interval"))), scores),
        _table("inputs", ("path", "split", number("bytes"), "sha256"), inputs),
        _table("steps", ("step", *map(number, ("rows in", "rows out", "quarantined", "seconds"))), steps),
        _table("tables", ("table", number("rows")), sorted(last.tables.items())),
        _table("artifacts", ("artifact", "path"), sorted(last.artifacts.items())),
        _table("log", (number("sequence"), "when", "status", "job", "message"), log_rows),
    ):
        terminal.line()
        terminal.table(table)
    terminal.line()
    terminal.text(f"settings, hash {last.config_hash}:\n{last.config}")


def _measured(snapshot: Snapshot) -> dict[str, list[Entry]]:
    """Metrics, comparisons, what a night serves and what changed, by table; infinite bounds, of one thread, are null.

    Empty for a run that has not succeeded, or whose files were collected.
    """
    from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
    from cqa_spark.lake.schemas.night import FIRST_ANSWERS, SERVED_ORDERS

    try:
        tables = [table for table in (METRICS, COMPARISONS, SERVED_ORDERS, FIRST_ANSWERS) if snapshot.has(table)]
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


def _table(title: str, columns: Iterable[str | Column], rows: Iterable[tuple[object, ...]]) -> TextTable:
    cells = (["" if value is None else str(value) for value in row] for row in rows)
    return TextTable(*columns, title=title, rows=cells)


def publish(settings: PublishRunSettings) -> None:
    """Check a finished run and publish it.

    Raises:
        ChecksFailed: its checks failed, and ``force`` is not set.
    """
    from cqa_spark.runtime.mlflow import track_publication
    from cqa_spark.runtime.workspace import write_lake
    from cqa_spark.steps.publish import publish_run

    with write_lake(settings, "publish", create=False) as lake:
        publish_run(lake, settings.run_id, force=settings.force, who=settings.who)
        Terminal().line(f"published {settings.run_id}")
        track_publication(lake, settings.tracking)


def rollback(settings: RollbackSettings) -> None:
    """Publish the previously published run again."""
    from cqa_spark.lake import publishing
    from cqa_spark.runtime.mlflow import track_publication
    from cqa_spark.runtime.workspace import write_lake

    with write_lake(settings, "rollback", create=False) as lake:
        record = publishing.rollback(lake, settings.to)
        Terminal().line(f"published again: {record.run_id} ({record.message})")
        track_publication(lake, settings.tracking)


def restore_pointer(settings: RestorePointerSettings) -> None:
    """Write published.json anew from the run log.

    Raises:
        ConfigError: there is no run log.
    """
    from cqa_spark.lake.lake import Lake
    from cqa_spark.lake.lease import Holder
    from cqa_spark.lake.opening import restore
    from cqa_spark.lake.run_log import RunLog
    from cqa_spark.runtime.mlflow import track_publication
    from cqa_spark.spark.session import session_of

    lake = Lake(partial(session_of, settings), settings.lake, settings.object_storage)
    if RunLog(lake.objects).is_empty():
        raise ConfigError(f"there is no run log in {lake.root}; nothing was written", "check the path of the lake")
    pointer = restore(lake, Holder.of_this_process("restore-pointer"))
    terminal = Terminal()
    terminal.line(f"published: {', '.join(record.run_id for record in pointer.records) or 'no run'}")
    terminal.line(f"kept: {', '.join(pointer.kept) or 'no run; cqa runs keep RUN keeps one again'}")
    if pointer.records:
        track_publication(lake, settings.tracking)


def collect_garbage(settings: CollectGarbageSettings) -> None:
    """Delete files that only old or failed runs need."""
    from cqa_spark.lake.collection import collect
    from cqa_spark.runtime.workspace import write_lake

    with write_lake(settings, "gc", create=False) as lake:
        collected = collect(lake, settings.keep)
    terminal = Terminal()
    terminal.line(f"kept: {', '.join(record.run_id for record in collected.kept) or 'no run'}")
    terminal.line(f"collected: {', '.join(collected.attempts) or 'no run'}")
    terminal.line(f"deleted {collected.files} files, {collected.bytes / 1e6:,.1f} MB")


def keep_run(settings: KeepRunSettings) -> None:
    """Keep the files of a run, or no longer.

    Raises:
        InputError: no such run has succeeded, or its files are deleted.
    """
    from cqa_spark.lake.pointer import change_pointer
    from cqa_spark.lake.run_log import RunLog
    from cqa_spark.runtime.workspace import write_lake

    run_id = settings.run_id

    def changed(pointer: Pointer) -> Pointer:
        kept = {*pointer.kept} - {run_id} if settings.release else {*pointer.kept, run_id}
        return pointer.model_copy(update={"kept": tuple(sorted(kept))})

    with write_lake(settings, "keep", create=False) as lake:
        if not settings.release:
            RunLog(lake.objects).require_success(run_id)
        change_pointer(lake.objects, lake.lease.token, changed)
    Terminal().line(f"{run_id} is {'kept no longer' if settings.release else 'kept'}")


JOBS = (
    Job("runs list", "list the runs of a lake", "inspection", ListRunsSettings, list_runs),
    Job("runs show", "show one run", "inspection", ShowRunSettings, show_run),
    Job("runs publish", "publish a run", "inspection", PublishRunSettings, publish),
    Job("runs rollback", "publish the previously published run again", "inspection", RollbackSettings, rollback),
    Job(
        "runs restore-pointer",
        "write published.json anew from the run log",
        "inspection",
        RestorePointerSettings,
        restore_pointer,
    ),
    Job("runs gc", "delete the files that no kept run needs", "inspection", CollectGarbageSettings, collect_garbage),
    Job("runs keep", "keep the files of a run", "inspection", KeepRunSettings, keep_run),
)
