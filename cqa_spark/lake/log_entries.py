"""Entries of a table's log: the added and removed files, and the metadata of a commit.

Source: the protocol of Delta's transaction log, section "Actions".
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from pyspark.sql import types as T

from cqa_spark.lake.table import Table
from cqa_spark.lake.table_state import Action, TableState

_PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 2}
_CONFIGURATION = {"delta.logRetentionDuration": "interval 36500 days"}


def commit_entries(
    table: Table,
    before: TableState | None,
    schema: T.StructType,
    added: Mapping[str, Action],
    signature: str,
    rows: int,
) -> Iterator[dict[str, Any]]:
    """The entries of a commit after which a table consists of the given files.

    Args:
        table: the declaration of the table.
        before: its newest version; None for a new table.
        schema: of the new version.
        added: files of the new version, by path.
        signature: identifies the writer.
        rows: number of rows in new files.
    """
    now = int(time.time() * 1000)
    yield {
        "commitInfo": {
            "timestamp": now,
            "operation": "WRITE",
            "operationParameters": {},
            "operationMetrics": {"numOutputRows": str(rows)},
            "isBlindAppend": False,
            "userMetadata": signature,
        }
    }
    described = {"schemaString": schema.json(), "partitionColumns": list(table.partition_by)}
    if before is None:
        yield {"protocol": _PROTOCOL}
        identity = {"id": str(uuid4()), "format": {"provider": "parquet", "options": {}}, "createdTime": now}
        yield {"metaData": {**identity, **described, "configuration": _CONFIGURATION}}
    elif before.schema != schema:
        yield {"metaData": {**before.metadata, "schemaString": schema.json()}}
    for path, add in ({} if before is None else without(before.added, added)).items():
        yield {
            "remove": {
                "path": path,
                "deletionTimestamp": now,
                "dataChange": True,
                "extendedFileMetadata": True,
                "partitionValues": add["partitionValues"],
                "size": add["size"],
            }
        }
    for add in (added if before is None else without(added, before.added)).values():
        yield {"add": {name: value for name, value in add.items() if value is not None}}


def without(files: Mapping[str, Action], others: Mapping[str, Action]) -> dict[str, Action]:
    """The files that are not among the others, by path."""
    return {path: add for path, add in files.items() if path not in others}


def nullable(schema: T.StructType) -> T.StructType:
    """The schema with all columns nullable, as Spark stores it; nulls are checked when the table is read."""
    return T.StructType([T.StructField(field.name, field.dataType, True, field.metadata) for field in schema])


def merged_schema(stored: T.StructType, declared: T.StructType) -> T.StructType:
    """The stored columns, followed by those declared later."""
    names = set(stored.names)
    return T.StructType([*stored, *[field for field in nullable(declared) if field.name not in names]])
