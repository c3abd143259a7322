"""What an active run has: its record, tables, entries and artifacts, which several threads change under one lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from cqa_spark.errors import InputError
from cqa_spark.lake.declared_products import ALL_PRODUCTS, DeclaredProducts
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.manifest import RunManifest
from cqa_spark.lake.run_record import InputRecord, RecordedScore, RunRecord, StepRecord, about
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import NO_FILES, TableFiles

Loaded = TypeVar("Loaded")
OnStep = Callable[[StepRecord], None]


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
        """Record the measures of the systems, those of the most important system first."""
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
        """An artifact as an object: the one that this run has saved or loaded, else read from its path.

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
