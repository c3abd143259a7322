"""The files and the schema of one version of a Delta table, read from the table's log.

Delta's own reader takes three Spark jobs for a new version and one for every query that reads it, more than half of the
jobs of a night. Here it takes the last checkpoint of the log and some small objects.

Source: the protocol of Delta's transaction log, "Delta Log Entries", "Checkpoints", "Action Reconciliation".
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.object_store.store import ObjectStore

_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.parquet")
_ACTIONS = ("add", "metaData")

Action = Mapping[str, Any]


@dataclass(frozen=True)
class TableState:
    """The files and metadata of a table version.

    Attributes:
        version: its number.
        metadata: the current action ``metaData``.
        added: the action ``add`` of every file, by path in the log's spelling.
    """

    version: int
    metadata: Action
    added: Mapping[str, Action] = field(default_factory=dict)

    @property
    def schema(self) -> T.StructType:
        """The stored schema."""
        return T.StructType.fromJson(json.loads(self.metadata["schemaString"]))

    @property
    def partition_by(self) -> list[str]:
        """The partition columns, which are not in the files."""
        return list(self.metadata["partitionColumns"])

    @property
    def rows(self) -> int:
        """The number of its rows, as counted when they were written."""
        return sum(map(_rows, self.added.values()))

    def rows_by_site(self) -> Counter[str]:
        """The number of rows by site, without empty sites; the table must be partitioned by site."""
        found: Counter[str] = Counter()
        for add in self.added.values():
            found[add["partitionValues"]["site"]] += _rows(add)
        return +found

    def files_by_site(self) -> dict[str, set[str]]:
        """The paths of the files of each site, of a table that is laid out by site."""
        files: dict[str, set[str]] = {}
        for path, add in self.added.items():
            files.setdefault(add["partitionValues"]["site"], set()).add(path)
        return files

    def changed_sites(self, since: TableState) -> set[str]:
        """The sites whose files differ from those of another version."""
        now, before = self.files_by_site(), since.files_by_site()
        return {site for site in now.keys() | before.keys() if now.get(site) != before.get(site)}

    def null_shares(self) -> dict[str, float] | None:
        """The share of nulls by column, as counted when rows were written; None if a file has no counts.

        Columns of arrays and maps are not counted; partition columns are never null.
        """
        stats = [_stats(add) for add in self.added.values()]
        counted = [name for name in _countable(self.schema) if name not in self.partition_by]
        if any(not each.get("nullCount", {}).keys() >= set(counted) for each in stats):
            return None
        nulls = {name: sum(each["nullCount"][name] for each in stats) for name in counted}
        return {name: number / max(1, self.rows) for name, number in nulls.items()}

    def after(self, version: int, actions: Iterable[Action]) -> TableState:
        """The state after another commit."""
        metadata, added = self.metadata, dict(self.added)
        for action in actions:
            if "add" in action:
                added[action["add"]["path"]] = action["add"]
            elif "remove" in action:
                added.pop(action["remove"]["path"], None)
            elif "metaData" in action:
                metadata = action["metaData"]
        return TableState(version, metadata, added)


NO_FILES = TableState(-1, {})
"""The state before the first version."""


def table_state(objects: ObjectStore, table: str, version: int) -> TableState:
    """The state of a version.

    Args:
        objects: store of the table.
        table: folder of the table in the store.
        version: number of the version.

    Raises:
        ContractError: an entry is missing from the log, or a file has a deletion vector.
    """
    folder = f"{table}/_delta_log/"
    names = [key.removeprefix(folder) for key in objects.keys(folder)]
    checkpoints = [int(found[1]) for name in names if (found := _CHECKPOINT.fullmatch(name))]
    start = max((each for each in checkpoints if each <= version), default=-1)
    state = TableState(start, {})
    if start >= 0:
        state = state.after(start, _checkpoint(_require(objects, f"{folder}{start:020d}.checkpoint.parquet", table)))
    for number in range(start + 1, version + 1):
        entry = _require(objects, _entry(table, number), table)
        state = state.after(number, map(json.loads, entry.splitlines()))
    if any(add.get("deletionVector") for add in state.added.values()):
        raise ContractError(
            f"table {table}: another program marked rows of version {version} as deleted in place",
            "purge the deletion vectors with that program: REORG TABLE … APPLY (PURGE)",
        )
    return state


def files_since(objects: ObjectStore, table: str, version: int) -> set[str]:
    """The files of a version and of all later ones, as paths below the table.

    Args:
        objects: store that holds the table.
        table: its folder there.
        version: number of the version.

    Raises:
        ContractError: as for ``table_state``.
    """
    found, number = set(table_state(objects, table, version).added), version + 1
    while (entry := objects.read(_entry(table, number))) is not None:
        actions = map(json.loads, entry.data.splitlines())
        found.update(action["add"]["path"] for action in actions if "add" in action)
        number += 1
    return set(map(file_path, found))


def _entry(table: str, version: int) -> str:
    return f"{table}/_delta_log/{version:020d}.json"


def _stats(add: Action) -> dict[str, Any]:
    return dict(json.loads(add.get("stats") or "{}"))


def _rows(add: Action) -> int:
    return int(_stats(add)["numRecords"])


def _countable(schema: T.StructType) -> list[str]:
    nested = (T.ArrayType, T.MapType, T.StructType)
    return [field.name for field in schema if not isinstance(field.dataType, nested)]


def file_path(path: str) -> str:
    """A file's path below its table, decoded from its spelling in the log."""
    return unquote(path)


def _require(objects: ObjectStore, key: str, table: str) -> bytes:
    stored = objects.read(key)
    if stored is None:
        raise ContractError(
            f"table {table}: {key} is missing from its log",
            "restore the lake, or publish a run whose versions are complete",
        )
    return stored.data


def _checkpoint(data: bytes) -> Iterable[Action]:
    file = pq.ParquetFile(pa.BufferReader(data))
    for row in file.read(columns=[name for name in _ACTIONS if name in file.schema_arrow.names]).to_pylist():
        for name, action in row.items():
            if action is not None:
                maps = {key: dict(action[key] or ()) for key in ("partitionValues", "configuration") if key in action}
                yield {name: {**action, **maps}}
