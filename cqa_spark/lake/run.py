"""An active run: writes files, reads the tables that they make up, records its steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar
from uuid import uuid4

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.manifest import Manifest, folder_of
from cqa_spark.lake.run_record import InputRecord, RunRecord, StepRecord
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.storage import TABLES, Lake
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import NO_FILES, TableFiles
from cqa_spark.lake.writing import rebalanced, write_files

FEW_SITES = 8
"""Sites up to which writes do not bring the rows of a site together, which takes a shuffle."""

OnStep = Callable[[StepRecord], None]
Loaded = TypeVar("Loaded")


class Run(RunTables):
    """One execution of a job; created by ``cqa_spark.lake.run_lifecycle.open_run``.

    Its files are new, and no reader sees them until the run is published. Several threads may write tables, add
    artifacts and finish steps concurrently. Artifacts that a step has just saved are not loaded again.

    Args:
        lake: the lake.
        record: has the number of the attempt.
        on_step: called with every finished step.
        before: the manifest of the earlier attempt that this one continues; None to start from nothing.
    """

    def __init__(self, lake: Lake, record: RunRecord, on_step: OnStep, before: Manifest | None = None) -> None:
        self.lake = lake
        self.record = record
        self._tables = dict(before.tables) if before is not None else {}
        self._entry_files = dict(before.entries) if before is not None else {}
        self._on_step = on_step
        self._recording = threading.Lock()
        self._in_memory: dict[str, tuple[str, Any]] = {}

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.record.run_id

    @property
    def tables(self) -> Mapping[str, TableFiles]:
        """The files of each table that this run has, by its name."""
        return self._tables

    @property
    def entry_files(self) -> Mapping[str, str]:
        """The file of each journal table that this run has, by its name; relative to the lake."""
        return self._entry_files

    def write_entries(self, table: JournalTable, entries: Iterable[Mapping[str, Any]]) -> int:
        """Write the entries of a journal table, replacing earlier ones of this attempt; return their number.

        Raises:
            ContractError: an entry does not have the declared columns.
        """
        self.lake.before_write()
        rows, key = list(entries), f"{folder_of(self.run_id, self.record.attempt)}/{table.name}.parquet"
        self.lake.journal.write(table, rows, key)
        with self._recording:
            self._entry_files[table.name] = key
            self._record_rows(table.name, len(rows))
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
        self.lake.before_write()
        rows = table.conform(frame)
        if rebalance and table.partition_by:
            rows = rebalanced(rows, table.partition_by)
        folder = f"{TABLES}/{table.name}/{self.run_id}.{self.record.attempt}/{uuid4().hex}"
        files = write_files(rows, table, self.lake.root, folder, self.lake.storage)
        return TableFiles(tuple(rows.columns), files)

    def put(self, table: Table, files: TableFiles) -> int:
        """Make files the run's table; return their number of rows."""
        with self._recording:
            self._tables[table.name] = files
            self._record_rows(table.name, files.rows)
        return files.rows

    def carry(self, other: RunTables) -> None:
        """Use all files of another run of the lake: tables, entries and artifacts."""
        with self._recording:
            self._tables, self._entry_files = dict(other.tables), dict(other.entry_files)
            self.record = replace(self.record, tables=other.record.tables, artifacts=other.record.artifacts)

    @contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Forget the tables, entries and steps of the block if it fails; no other thread may write meanwhile."""
        before = dict(self._tables), dict(self._entry_files), self.record
        try:
            yield
        except BaseException:
            self._tables, self._entry_files, self.record = before
            raise

    def write(self, table: Table, frame: DataFrame) -> int:
        """Write the table with exactly the frame's rows; return their number."""
        many_sites = POSTS.name in self._tables and len(self.files(POSTS).rows_by_site()) > FEW_SITES
        return self.put(table, self.new_files(table, frame, rebalance=many_sites))

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
        new = self.new_files(table, frame)
        with self._recording:
            files = self._tables.get(table.name, NO_FILES).united(new)
            self._tables[table.name] = files
            self._record_rows(table.name, files.rows)

    def add_inputs(self, inputs: Sequence[InputRecord]) -> None:
        """Record the files that the run reads."""
        with self._recording:
            self.record = replace(self.record, inputs=tuple(inputs))

    def add_artifact(self, name: str, path: str, loaded: object = None) -> None:
        """Record the path of a model, report or prediction file.

        Args:
            name: of the artifact.
            path: where it is stored.
            loaded: object that ``load_artifact`` returns without reading the path; None for nothing.
        """
        with self._recording:
            self.record = replace(self.record, artifacts={**self.record.artifacts, name: path})
            if loaded is not None:
                self._in_memory[name] = (path, loaded)

    def load_artifact(self, name: str, load: Callable[[str], Loaded]) -> Loaded:
        """An artifact as an object: the one that this run has saved or loaded, else read from its path.

        Args:
            name: of the artifact; it is in the run's record.
            load: reads the artifact from its path.
        """
        path = self.record.artifacts[name]
        known, found = self._in_memory.get(name, ("", None))
        if known != path:
            found = load(path)
            with self._recording:
                self._in_memory[name] = (path, found)
        return found

    def remember(self, name: str, value: object) -> None:
        """Keep a value in memory for the caller of the flow, such as the content of a report."""
        with self._recording:
            self._in_memory[name] = ("", value)

    def recall(self, name: str) -> Any:
        """A value kept by ``remember``."""
        return self._in_memory[name][1]

    def artifact_path(self, *parts: str) -> str:
        """A path for an artifact of this attempt, in the attempt's own folder."""
        return self.lake.path(folder_of(self.run_id, self.record.attempt), *parts)

    def manifest(self) -> Manifest:
        """The files of the run so far, with those of earlier runs that it uses: tables, entries, artifacts."""
        root, own = self.lake.path(""), f"{folder_of(self.run_id, self.record.attempt)}/"
        used = {path.removeprefix(root) for path in self.record.artifacts.values() if path.startswith(root)}
        used |= set(self._entry_files.values())
        sizes = self.lake.objects.sizes(own)
        for path in sorted(path for path in used if not path.startswith(own)):
            below = self.lake.objects.sizes(path).items()
            sizes |= {key: size for key, size in below if key == path or key.startswith(f"{path}/")}
        return Manifest(dict(self._tables), dict(self._entry_files), sizes)

    @contextmanager
    def step(self, name: str) -> Iterator[StepRecord]:
        """Time a step and record its counts."""
        step = StepRecord(name)
        started = time.perf_counter()
        yield step
        step.seconds = round(time.perf_counter() - started, 3)
        with self._recording:
            self.record = replace(self.record, steps=(*self.record.steps, step))
        self._on_step(step)

    def _lacks(self, table: Table | JournalTable) -> InputError:
        return InputError(
            f"run {self.run_id} has no table {table.name}",
            "run the earlier jobs with the same --run-id first, or run all steps with: cqa run",
        )

    def _record_rows(self, name: str, rows: int) -> None:
        self.record = replace(self.record, tables={**self.record.tables, name: rows})
