"""The state of an active run: what its views and its threads share, and change under one lock."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from cqa_spark.lake.manifest import RunManifest, folder_of
from cqa_spark.lake.run_record import IN_LAKE, RunRecord, StepRecord, about, to_stored
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table_files import NO_FILES, TableFiles

Loaded = TypeVar("Loaded")


@dataclass
class RunState:
    """The record and the files of an active run.

    Attributes:
        record: the record of the run.
        tables: files by name of the table.
        entry_files: the file of each journal table, by its name.
    """

    record: RunRecord
    tables: dict[str, TableFiles]
    entry_files: dict[str, str]
    _in_memory: dict[str, tuple[str, Any]] = field(default_factory=dict)
    _changing: threading.Lock = field(default_factory=threading.Lock)

    def change(self, **fields: Any) -> None:
        """Replace fields of the record."""
        with self._changing:
            self.record = replace(self.record, **fields)

    def put(self, table: str, files: TableFiles, *, add: bool = False) -> None:
        """Make files the table, or add them to it."""
        with self._changing:
            self.tables[table] = self.tables.get(table, NO_FILES).united(files) if add else files
            self._count(table, self.tables[table].rows)

    def put_entries(self, table: str, file: str, rows: int) -> None:
        """Make a file the journal table."""
        with self._changing:
            self.entry_files[table] = file
            self._count(table, rows)

    def carry(self, other: RunTables) -> None:
        """Be about the same as another run of the lake: use its inputs and all of its files, entries and artifacts."""
        with self._changing:
            self.tables, self.entry_files = dict(other.tables), dict(other.entry_files)
            self.record = replace(self.record, **about(other.record))

    def add_step(self, step: StepRecord) -> None:
        """Add a finished step to the record."""
        with self._changing:
            self.record = replace(self.record, steps=(*self.record.steps, step))

    def add_artifact(self, name: str, path: str, loaded: object = None) -> None:
        """Add an artifact to the record; the loaded object, if there is one, stays in memory."""
        with self._changing:
            self.record = replace(self.record, artifacts={**self.record.artifacts, name: path})
            if loaded is not None:
                self._in_memory[name] = (path, loaded)

    def remove_artifact(self, name: str) -> None:
        """Remove an artifact from the record."""
        with self._changing:
            others = {other: path for other, path in self.record.artifacts.items() if other != name}
            self.record = replace(self.record, artifacts=others)

    def artifact(self, name: str, load: Callable[[str], Loaded]) -> Loaded:
        """An artifact as an object: the one in memory, else read from its path."""
        path = self.record.artifacts[name]
        stored_at, loaded = self._in_memory.get(name, ("", None))
        if stored_at == path:
            in_memory: Loaded = loaded
            return in_memory
        new = load(path)
        with self._changing:
            self._in_memory[name] = (path, new)
        return new

    def manifest(self, lake: Lake) -> RunManifest:
        """The files so far, with those of earlier runs of the lake: tables, entries, artifacts."""
        own = f"{folder_of(self.record)}/"
        artifacts = to_stored(self.record, lake.root).artifacts.values()
        used = {path.removeprefix(IN_LAKE) for path in artifacts if path.startswith(IN_LAKE)}
        used |= set(self.entry_files.values())
        sizes = lake.objects.sizes(own)
        for path in sorted(path for path in used if not path.startswith(own)):
            sizes |= _sizes_below(path, lake.objects.sizes(path))
        return RunManifest(dict(self.tables), dict(self.entry_files), sizes)

    def _count(self, table: str, rows: int) -> None:
        self.record = replace(self.record, tables={**self.record.tables, table: rows})


def _sizes_below(path: str, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes of a file, or of the files of a folder."""
    return {key: size for key, size in sizes.items() if key == path or key.startswith(f"{path}/")}
