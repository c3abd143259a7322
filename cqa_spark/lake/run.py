"""An active run: reads the tables it has written, writes new versions, records its steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.run_record import InputRecord, RunRecord, StepRecord
from cqa_spark.lake.run_table import write_run_table
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import RunTable, Table
from cqa_spark.lake.table_state import TableState
from cqa_spark.lake.written import SetAside, Written

FEW_SITES = 8
"""Sites up to which writes do not bring the rows of a site together, which takes a shuffle."""

OnStep = Callable[[StepRecord], None]
Loaded = TypeVar("Loaded")


class Run(RunTables):
    """One execution of a job; created by ``cqa_spark.lake.run_lifecycle.open_run``.

    Its tables are not visible to readers until they are published. Several threads may write tables, add artifacts and
    finish steps concurrently. Artifacts that a step has just saved are not loaded again.
    """

    def __init__(self, lake: Lake, record: RunRecord, on_step: OnStep) -> None:
        self.lake = lake
        self.record = record
        self._on_step = on_step
        self._recording = threading.Lock()
        self._in_memory: dict[str, tuple[str, Any]] = {}

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.record.run_id

    def read(self, table: Table) -> DataFrame:
        """The version of a table that this run wrote.

        Raises:
            InputError: the run has not written the table yet.
        """
        return self._stored(table, self._version(table))

    def state(self, table: Table) -> TableState:
        """The files of the version that this run wrote, with their row and null counts."""
        return self.lake.state(table, self._version(table))

    def entries(self, table: JournalTable) -> list[Entry]:
        """The entries of a journal table that this run wrote.

        Raises:
            InputError: the run has not written the table yet.
        """
        return self.lake.journal.read(table, run_id=self.run_id, attempt=self._version(table))

    def write_entries(self, table: JournalTable, entries: Iterable[Mapping[str, Any]]) -> int:
        """Write the entries of a journal table, replacing earlier ones of this attempt; return their number.

        Raises:
            ContractError: an entry does not have the declared columns.
        """
        self.lake.before_commit()
        attempt = self.record.sequence
        count = self.lake.journal.write(table, entries, run_id=self.run_id, attempt=attempt)
        self.adopt(table, attempt)
        return count

    def write(self, table: Table, frame: DataFrame) -> Written:
        """Write a new version of a table and record it as this run's; in one file for each small site, if many."""
        if isinstance(table, RunTable):
            written = write_run_table(self.lake, table, frame, run_id=self.run_id, attempt=self.record.sequence)
            self.adopt(table, written.version)
            return written
        many_sites = self.has(POSTS) and len(self.state(POSTS).files_by_site()) > FEW_SITES
        written = self.lake.write(table, frame, author=self.run_id, rebalance=many_sites and bool(table.partition_by))
        self.adopt(table, written.version)
        return written

    def replace(
        self, table: Table, frame: DataFrame, *, sites: Collection[str], base: int | None, rebalance: bool = True
    ) -> Written:
        """Write a version that differs from an earlier one in the rows of some sites.

        Args:
            table: as for ``Lake.replace``, and so are the others.
            frame: the new rows.
            sites: whose rows are replaced.
            base: the earlier version.
            rebalance: write one file for each small site, if the sites are many.
        """
        rebalance = rebalance and len(sites) > FEW_SITES
        written = self.lake.replace(table, frame, sites=sites, base=base, author=self.run_id, rebalance=rebalance)
        self.adopt(table, written.version)
        return written

    def commit(self, table: Table, rows: SetAside, *, sites: Collection[str], base: int | None) -> Written:
        """Commit rows that were set aside for a table, as ``Lake.commit`` does."""
        written = self.lake.commit(table, rows, sites=sites, base=base, author=self.run_id)
        self.adopt(table, written.version)
        return written

    def append(self, table: Table, frame: DataFrame) -> None:
        """Add rows to this run's version of a table."""
        self.replace(table, frame, sites=(), base=self._version(table))

    def adopt(self, table: Table | JournalTable, version: int) -> None:
        """Record an existing version of a table as this run's."""
        with self._recording:
            versions = {**self.record.table_versions, table.name: version}
            self.record = replace(self.record, table_versions=versions)

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

    def artifact_path(self, kind: str, *parts: str) -> str:
        """A path for an artifact of this attempt; a repeated run never changes artifacts of a published one."""
        return self.lake.path(kind, self.run_id, str(self.record.sequence), *parts)

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

    def _version(self, table: Table | JournalTable) -> int:
        if not self.has(table):
            raise InputError(
                f"run {self.run_id} has no table {table.name}",
                "run the earlier jobs with the same --run-id first, or run all steps with: cqa run",
            )
        return self.record.table_versions[table.name]
