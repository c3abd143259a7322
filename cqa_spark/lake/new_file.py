"""A Parquet file that was written for a table, and its entry in the table's log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

import pyarrow.parquet as pq

from cqa_spark.lake.table_state import Action

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""Spark's spelling of null in the names of partition folders."""


@dataclass(frozen=True)
class NewFile:
    """A file that was written.

    Attributes:
        location: its path or URL.
        folders: its partition folders, as pairs of name and value in Spark's spelling.
        size: in bytes.
        modified_at: in milliseconds since 1970.
        rows: number of rows.
        nulls: number of nulls by column, without columns of arrays and maps.
    """

    location: str
    folders: tuple[str, ...]
    size: int
    modified_at: int
    rows: int
    nulls: Mapping[str, int]

    def action(self) -> Action:
        """The action that adds the file to a table, after it was moved to ``place``."""
        values = dict(folder.split("=", 1) for folder in self.folders)
        return {
            "path": quote(self.place, safe="/="),
            "partitionValues": {name: None if at == NO_VALUE else unquote(at) for name, at in values.items()},
            "size": self.size,
            "modificationTime": self.modified_at,
            "dataChange": True,
            "stats": json.dumps({"numRecords": self.rows, "nullCount": dict(self.nulls)}),
        }

    @property
    def place(self) -> str:
        """Its path below the table."""
        return "/".join([*self.folders, self.location.rpartition("/")[2]])


def count_nulls(footer: pq.FileMetaData) -> dict[str, int]:
    """The number of nulls by column of a file, without columns of arrays and maps and columns without a count."""
    nulls: dict[str, int | None] = {}
    for group in range(footer.num_row_groups):
        for place in range(footer.num_columns):
            column = footer.row_group(group).column(place)
            counted = column.statistics is not None and column.statistics.has_null_count
            before = nulls.get(column.path_in_schema, 0)
            known = counted and before is not None
            nulls[column.path_in_schema] = before + column.statistics.null_count if known else None
    return {name: number for name, number in nulls.items() if number is not None and "." not in name}
