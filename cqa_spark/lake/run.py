"""An active run: writes files and makes them its tables.

Steps see a view of the run, which refuses tables and artifacts that they have not declared. No reader sees what a run
writes until it is published.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import PurePosixPath
from typing import Any, Self, TypeVar
from uuid import uuid4

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError, CqaError, InputError, message_of
from cqa_spark.lake.journal import JournalTable, write_entries
from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.lake.manifest import RunManifest, folder_of, read_manifest, write_manifest
from cqa_spark.lake.run_log import (
    IN_LAKE,
    InputRecord,
    RecordedScore,
    RunLog,
    RunRecord,
    StepRecord,
    about,
    ended,
    to_stored,
)
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.snapshot import RunTables, published_of
from cqa_spark.lake.table import NO_FILES, Table, TableFiles
from cqa_spark.lake.writing import TABLE, Destination, rebalanced, write_files
from cqa_spark.object_store.store import missing
from cqa_spark.process.signals import Stopped, uninterrupted
from cqa_spark.spark.frames import cancel_jobs

Loaded = TypeVar("Loaded")
OnStep = Callable[[StepRecord], None]

FEW_SITES = 8
"""Sites up to which writes do not bring the rows of a site together, which takes a shuffle."""


@dataclass(frozen=True)
class DeclaredProducts:
    """The products that a step has declared: the tables and artifacts that it may read and write.

    Attributes:
        step: name of the step; None for the run itself, which may read and write everything.
        reads: names of what it may read; the kind of an artifact, before its slash, stands for all of the kind.
        writes: names of what it may write, and read afterwards.
    """

    step: str | None
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def require_readable(self, name: str) -> None:
        """Check that the step may read a product.

        Raises:
            ContractError: it has not declared it.
        """
        declared = self.reads | self.writes
        if self.step is not None and name not in declared and name.partition("/")[0] not in declared:
            raise self._undeclared("reads", name, "reads() or reads_if_present()")

    def require_output(self, name: str) -> None:
        """Check that the step may write a product.

        Raises:
            ContractError: it has not declared it.
        """
        if self.step is not None and not {name, name.partition("/")[0]} & self.writes:
            raise self._undeclared("writes", name, "writes()")

    def _undeclared(self, does: str, name: str, where: str) -> ContractError:
        return ContractError(
            f"the step {self.step} {does} {name}, which it does not declare", f"add the product to {where} of the step"
        )


ALL_PRODUCTS = DeclaredProducts(None)


def published_product(table: Table) -> str:
    """The name of a published table among the products of steps."""
    return f"published {table.name}"


@dataclass
class _State:
    """What the views of an active run share, and its threads change under one lock.

    Attributes:
        record: the record of the run.
        tables: files by name of the table.
        entry_files: the file of each journal table, by its name.
        in_memory: by name of the artifact, the path of one that was saved or loaded, and the object.
    """

    record: RunRecord
    tables: dict[str, TableFiles]
    entry_files: dict[str, str]
    in_memory: dict[str, tuple[str, Any]] = field(default_factory=dict)
    changing: threading.Lock = field(default_factory=threading.Lock)

    def count(self, table: str, rows: int) -> None:
        """Record the number of rows of a table; the caller holds the lock."""
        self.record = replace(self.record, tables={**self.record.tables, table: rows})


class RunState(RunTables):
    """The state of a run, as the steps of a flow see and change it.

    Artifacts that a step has just saved are not loaded again.

    Args:
        lake: the lake.
        record: has the number of the attempt.
        on_step: called with every finished step.
        before: the manifest of the earlier attempt that this one continues; None to start from nothing.
    """

    def __init__(self, lake: Lake, record: RunRecord, on_step: OnStep, before: RunManifest | None = None) -> None:
        self.lake = lake
        before = before or RunManifest()
        self._state = _State(record, dict(before.tables), dict(before.entries))
        self._on_step = on_step
        self._declared = ALL_PRODUCTS

    def seen_by(self, step: str, reads: Collection[str], writes: Collection[str]) -> Self:
        """The run as a step sees it, which declares its products: all others are refused.

        Args:
            step: name of the step.
            reads: names of the tables and artifacts that it may read.
            writes: names of those that it may write, and read afterwards.
        """
        view = copy(self)
        view._declared = DeclaredProducts(step, frozenset(reads), frozenset(writes))
        return view

    @property
    def record(self) -> RunRecord:
        """The state of the run."""
        return self._state.record

    @record.setter
    def record(self, record: RunRecord) -> None:
        self._state.record = record

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.record.run_id

    @property
    def tables(self) -> Mapping[str, TableFiles]:
        """The files of each table that this run has, by its name."""
        return self._state.tables

    @property
    def entry_files(self) -> Mapping[str, str]:
        """The file of each journal table that this run has, by its name; relative to the lake."""
        return self._state.entry_files

    def _require_declared(self, name: str) -> None:
        self._declared.require_readable(name)

    def put(self, table: Table, files: TableFiles) -> int:
        """Make files the run's table; return their number of rows."""
        self._declared.require_output(table.name)
        with self._state.changing:
            self._state.tables[table.name] = files
            self._state.count(table.name, files.rows)
        return files.rows

    def put_more(self, table: Table, files: TableFiles) -> None:
        """Add files to the run's table."""
        self._declared.require_output(table.name)
        with self._state.changing:
            self._state.tables[table.name] = self._state.tables.get(table.name, NO_FILES).united(files)
            self._state.count(table.name, self._state.tables[table.name].rows)

    def put_entries(self, table: JournalTable, path: str, rows: int) -> None:
        """Make a file the run's journal table.

        Args:
            table: the declaration of the table.
            path: of the file, relative to the lake.
            rows: its number of entries.
        """
        self._declared.require_output(table.name)
        with self._state.changing:
            self._state.entry_files[table.name] = path
            self._state.count(table.name, rows)

    def carry(self, other: RunTables) -> None:
        """Be about the same as another run of the lake: use its inputs and all of its files, entries and artifacts."""
        with self._state.changing:
            self._state.tables, self._state.entry_files = dict(other.tables), dict(other.entry_files)
            self.record = replace(self.record, **about(other.record))

    def read_corpus(self, corpus: str) -> None:
        """Record the source format of the files that the run is about."""
        self._record(corpus=corpus)

    def add_inputs(self, inputs: Sequence[InputRecord]) -> None:
        """Record the files that the run reads."""
        self._record(inputs=tuple(inputs))

    def add_scores(self, scores: Sequence[RecordedScore]) -> None:
        """Record the measures of the systems, the most important system first."""
        self._record(scores=tuple(scores))

    def add_artifact(self, name: str, path: str, loaded: object = None) -> None:
        """Record the path of a model, report or prediction file.

        Args:
            name: of the artifact.
            path: where it is stored.
            loaded: object that ``load_artifact`` returns without reading the path; None for nothing.
        """
        self._declared.require_output(name)
        with self._state.changing:
            self.record = replace(self.record, artifacts={**self.record.artifacts, name: path})
            if loaded is not None:
                self._state.in_memory[name] = (path, loaded)

    def remove_artifact(self, name: str) -> None:
        """Remove a model, report or prediction file from the run's record."""
        self._declared.require_output(name)
        with self._state.changing:
            others = {other: path for other, path in self.record.artifacts.items() if other != name}
            self.record = replace(self.record, artifacts=others)

    def load_artifact(self, name: str, load: Callable[[str], Loaded]) -> Loaded:
        """An artifact as an object: saved or loaded by this run before, else read from its path.

        Args:
            name: of the artifact; it is in the run's record.
            load: reads the artifact from its path.
        """
        self._require_declared(name)
        path = self.record.artifacts[name]
        stored_at, loaded = self._state.in_memory.get(name, ("", None))
        if stored_at == path:
            in_memory: Loaded = loaded
            return in_memory
        new = load(path)
        with self._state.changing:
            self._state.in_memory[name] = (path, new)
        return new

    @contextmanager
    def step(self, name: str) -> Iterator[StepRecord]:
        """Time a step and record its counts."""
        step = StepRecord(name)
        started = time.perf_counter()
        yield step
        step.seconds = round(time.perf_counter() - started, 3)
        self.add_step(step)

    def add_step(self, step: StepRecord) -> None:
        """Record a finished step."""
        with self._state.changing:
            self.record = replace(self.record, steps=(*self.record.steps, step))
        self._on_step(step)

    def _record(self, **fields: Any) -> None:
        """Replace fields of the record."""
        with self._state.changing:
            self.record = replace(self.record, **fields)

    def _lacks(self, table: Table | JournalTable) -> InputError:
        return InputError(
            f"run {self.run_id} has no table {table.name}",
            "run the earlier jobs with the same --run-id first, or run all steps with: cqa run",
        )


class Run(RunState):
    """One execution of a job; created by ``cqa_spark.lake.run.open_run``.

    Its files are new, and no reader sees them until the run is published. Several threads may write tables, add
    artifacts and finish steps concurrently.
    """

    def published(self, table: Table) -> TableFiles:
        """The published files of a table of the run's corpus; none if it is not published."""
        self._require_declared(published_product(table))
        last = published_of(self.lake, self.record.corpus)
        return last.files_or_none(table) if last is not None else NO_FILES

    def delete_unused(self, tables: Iterable[Table]) -> None:
        """Delete files that this attempt has written for tables and that are not in them, before a collection does."""
        self.lake.before_write()
        for table in tables:
            used = {file.path for file in self.files_or_none(table).files}
            own = self.lake.objects.sizes(f"{TABLES}/{table.name}/{self.record.attempt_name}/")
            self.lake.objects.delete_all(sorted(own.keys() - used))

    def write_entries(self, table: JournalTable, entries: Iterable[Mapping[str, Any]]) -> int:
        """Write the entries of a journal table, replacing earlier ones of this attempt; return their number.

        Raises:
            ContractError: an entry does not have the declared columns.
        """
        self._declared.require_output(table.name)
        self.lake.before_write()
        rows, key = list(entries), f"{folder_of(self.record)}/{table.name}.parquet"
        write_entries(self.lake.objects, table, rows, key, run_id=self.run_id)
        self.put_entries(table, key, len(rows))
        return len(rows)

    def new_files(self, table: Table, frame: DataFrame, *, rebalance: bool = False) -> TableFiles:
        """Write rows to new files, which belong to no table until they are ``put`` there.

        Args:
            table: the declaration of the table.
            frame: the rows.
            rebalance: bring the rows of a site together first, so that a small site has one file, instead of one from
                each task.

        Raises:
            ContractError: the frame does not have the declared columns.
        """
        return self.new_files_of([table], frame, rebalance=rebalance)[0]

    def new_files_of(self, tables: Sequence[Table], frame: DataFrame, *, rebalance: bool) -> list[TableFiles]:
        """Write rows of several tables, as ``new_files``, in one job.

        Args:
            tables: the declarations of the tables, which the same columns divide.
            frame: the declared columns of all; for several tables also ``TABLE``.
            rebalance: as for ``new_files``.
        """
        if len(tables) == 1:
            frame = tables[0].conform(frame)
        if rebalance and tables[0].partition_by:
            frame = rebalanced(frame, tables[0].partition_by)
        destinations = [self.destination(table) for table in tables]
        files = write_files(frame, *destinations)
        written = []
        for destination in destinations:
            of_table = tuple(file for file in files if file.path.startswith(f"{destination.folder}/"))
            written.append(TableFiles(tuple(destination.table.schema.names), of_table))
        return written

    def destination(self, table: Table) -> Destination:
        """A new folder for the files of a table, which belong to no table until they are ``put`` there."""
        self.lake.before_write()
        folder = f"{TABLES}/{table.name}/{self.record.attempt_name}/{uuid4().hex}"
        return Destination(table, self.lake.absolute_path(), folder, self.lake.storage)

    def write(self, table: Table, frame: DataFrame) -> int:
        """Write the table with exactly the frame's rows; return their number."""
        posts = self.tables.get(POSTS.name, NO_FILES)
        many_sites = len(posts.rows_by_site()) > FEW_SITES
        return self.put(table, self.new_files(table, frame, rebalance=many_sites))

    def write_together(self, tables: Mapping[Table, DataFrame]) -> None:
        """Write tables with exactly the rows of their frames, in one job.

        Args:
            tables: the frame of each table; the same columns divide all, and columns of one name have one type.
        """
        named = [table.conform(frame).withColumn(TABLE, F.lit(table.name)) for table, frame in tables.items()]
        rows = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), named)
        for table, files in zip(tables, self.new_files_of([*tables], rows, rebalance=False), strict=True):
            self.put(table, files)

    def replace(self, table: Table, frame: DataFrame, *, sites: Collection[str], base: TableFiles) -> int:
        """Write the table with new rows of some sites, and earlier files of others; return the number of new rows.

        Args:
            table: divided by site.
            frame: the new rows.
            sites: whose earlier rows are replaced.
            base: the earlier files.
        """
        new = self.new_files(table, frame, rebalance=len(sites) > FEW_SITES)
        self.put(table, base.without(sites).united(new))
        return new.rows

    def append(self, table: Table, frame: DataFrame) -> None:
        """Add rows to the run's table."""
        self.put_more(table, self.new_files(table, frame))

    def artifact_path(self, *parts: str) -> str:
        """A path for an artifact of this attempt, in the attempt's own folder."""
        return self.lake.path(folder_of(self.record), *parts)

    def manifest(self) -> RunManifest:
        """The files of the run so far, with the files of earlier runs that it uses: tables, entries, artifacts.

        Raises:
            ContractError: no file of an artifact or journal table is listed, so that a collection would delete it.
        """
        own = f"{folder_of(self.record)}/"
        artifacts = to_stored(self.record, self.lake.root).artifacts.values()
        used = {path.removeprefix(IN_LAKE) for path in artifacts if path.startswith(IN_LAKE)}
        used |= set(self.entry_files.values())
        sizes = self.lake.objects.sizes(own)
        for path in sorted(path for path in used if not path.startswith(own)):
            below = self.lake.objects.sizes(path)  # of a file, or of the files of a folder
            sizes |= {key: size for key, size in below.items() if key == path or key.startswith(f"{path}/")}
        stored = {*sizes, *(parent.as_posix() for key in sizes for parent in PurePosixPath(key).parents)}
        if absent := sorted(path for path in used if path not in stored):
            raise missing(self.lake.objects.root, absent[0], f"run {self.run_id} uses it", "run the job again")
        return RunManifest(dict(self.tables), dict(self.entry_files), sizes)


@contextmanager
def open_run(lake: Lake, begin: RunRecord, *, resume: bool, on_step: OnStep) -> Iterator[Run]:
    """Record the start of a run, yield it, and record its end.

    Args:
        lake: the lake of the run.
        begin: the run's id, job and settings.
        resume: continue from the tables, steps and artifacts of the run's last success, as jobs with a single step do;
            otherwise the run starts from scratch and produces the same tables.
        on_step: called with every finished step.

    Raises:
        the error of the body, after a record with status failed or stopped was logged. If that record cannot be logged
            either, the status of the run remains running.
    """
    log = RunLog(lake.objects)
    before = log.last_success(begin.run_id) if resume else None
    if before is not None:
        begin = replace(begin, steps=before.steps, **about(before))
    manifest = read_manifest(lake.objects, before) if before is not None else None
    begin = replace(begin, status="running", started_at=begin.recorded_at)
    run = Run(lake, begin, on_step, manifest)
    try:
        with uninterrupted():
            run.record = log.append(replace(run.record, attempt=log.next_sequence()))
        yield run
        with uninterrupted():
            write_manifest(lake.objects, run.record, run.manifest())
            lake.before_write()  # who took the lake over may have collected the files before there was a manifest
            sites = tuple(sorted(set[str]().union(*(files.sites for files in run.tables.values()))))
            done = replace(run.record, sites=sites)
            run.record = log.append(ended(done, "succeeded", f"{begin.job} finished"))
    except BaseException as error:
        if run.record.status == "running":
            _log_end(log, run, error)
        raise


def _log_end(log: RunLog, run: Run, error: BaseException) -> None:
    """Log that a run has failed or was stopped; a failure to log does not hide the original error."""
    status = "stopped" if isinstance(error, Stopped) else "failed"
    with suppress(Exception), uninterrupted():
        if status == "stopped":
            cancel_jobs()  # Spark does not cancel the job of an interrupted call
        run.record = log.append(ended(run.record, status, _reason(error)))
        error.add_note(f"run {run.run_id} is recorded as {status}")


def _reason(error: BaseException) -> str:
    if isinstance(error, CqaError):
        return error.problem
    if isinstance(error, Stopped):
        return f"stopped by {error.signal.name}"
    return f"{type(error).__name__}: {message_of(error)}"[:2000]
