"""Writes rows as Parquet files of a table, to which no version refers until they are committed.

Spark writes into a separate folder outside the table, so that files of an interrupted writer never become part of the
table. The files are then moved into the table's partitions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, unquote
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.lake.row_kinds import ROWS
from cqa_spark.lake.table_state import Action
from cqa_spark.spark.file_paths import literal_path

Given = TypeVar("Given")
Result = TypeVar("Result")

UNCOMMITTED = "uncommitted"
"""Folder of a lake for files before their commit; later processes do not need them."""

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_FILES_AT_A_TIME = 16
_LOCAL = "file:"
_TAIL = 1 << 16
_MAGIC = b"PAR1"


@dataclass(frozen=True)
class NewFile:
    """A file that was written.

    Attributes:
        location: its path or URL.
        kind: value of the column ``ROWS``; empty without that column.
        folders: its partition folders, as pairs of name and value in Spark's spelling.
        size: in bytes.
        modified_at: in milliseconds since 1970.
        rows: number of rows.
        nulls: number of nulls by column, without columns of arrays and maps.
    """

    location: str
    kind: str
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
            "partitionValues": {name: None if at == _NO_VALUE else unquote(at) for name, at in values.items()},
            "size": self.size,
            "modificationTime": self.modified_at,
            "dataChange": True,
            "stats": json.dumps({"numRecords": self.rows, "nullCount": dict(self.nulls)}),
        }

    @property
    def place(self) -> str:
        """Its path below the table; files of different kinds may have the same name, so the kind is part of it."""
        name = self.location.rpartition("/")[2]
        return "/".join([*self.folders, f"{self.kind}-{name}" if self.kind else name])


@dataclass(frozen=True)
class NewFiles:
    """The files of one or several writes.

    Attributes:
        folders: their folders, one for each write.
        files: the files with rows.
    """

    folders: Sequence[str]
    files: Sequence[NewFile]

    @property
    def rows(self) -> int:
        """The number of their rows."""
        return sum(file.rows for file in self.files)

    def rows_by_site(self) -> Counter[str]:
        """The number of their rows by site; the files must be partitioned by site."""
        found: Counter[str] = Counter()
        for file in self.files:
            found[file.action()["partitionValues"]["site"]] += file.rows
        return found

    def with_files_of(self, other: NewFiles) -> NewFiles:
        """The files of both."""
        return NewFiles([*self.folders, *other.folders], [*self.files, *other.files])

    def of(self, *kinds: str) -> list[NewFile]:
        """The files with rows of the given kinds."""
        return [file for file in self.files if file.kind in kinds]

    def remove(self, spark: SparkSession) -> None:
        """Remove the files that were not moved."""
        jvm: Any = spark._jvm
        for folder in self.folders:
            path = jvm.org.apache.hadoop.fs.Path(folder)
            path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)


def rebalanced(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The rows in partitions of about one size, those with the same values of some columns in as few as possible.

    Adaptive execution merges small partitions and divides large ones, by the setting
    ``spark.sql.adaptive.advisoryPartitionSizeInBytes``. Without it, Spark ignores the hint.
    """
    by: Any = frame._jseq([F.col(name)._jc.expr() for name in columns])
    return DataFrame(frame._jdf.hint("rebalance", by), frame.sparkSession)  # ``DataFrame.hint`` takes no columns


def write_new_files(frame: DataFrame, root: str, partition_by: Sequence[str]) -> NewFiles:
    """Write the rows, in one job.

    Args:
        frame: the rows; with a column ``ROWS`` if kinds of rows are to be separated.
        root: the lake.
        partition_by: partition columns.
    """
    folder = f"{root.rstrip('/')}/{UNCOMMITTED}/{uuid4().hex}"
    by_kind = [ROWS] if ROWS in frame.columns else []
    frame.write.format("parquet").partitionBy(*by_kind, *partition_by).save(folder)
    return NewFiles([folder], [file for file in _described(frame.sparkSession, folder) if file.rows])


def move_into(spark: SparkSession, table: str, files: Sequence[NewFile]) -> None:
    """Move files into a table's partitions.

    Args:
        spark: the session.
        table: folder of the table.
        files: the files written for it.
    """
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path
    storage = path(table).getFileSystem(spark._jsc.hadoopConfiguration())
    for folder in {file.place.rpartition("/")[0] for file in files}:
        storage.mkdirs(path(f"{table}/{folder}".rstrip("/")))

    def move(file: NewFile) -> None:
        if not storage.rename(path(file.location), path(f"{table}/{file.place}")):
            raise OSError(f"cannot move {file.location} to {table}/{file.place}")

    _at_a_time(move, files)


def read_new_files(spark: SparkSession, files: Sequence[NewFile], like: DataFrame) -> DataFrame:
    """The rows of files that have not been moved, with the columns of a frame."""
    if not files:
        return spark.createDataFrame([], like.schema)
    depth = len(files[0].folders) + bool(files[0].kind) + 1
    base = files[0].location.rsplit("/", depth)[0]
    paths = [literal_path(file.location) for file in files]
    found = spark.read.schema(like.schema).option("basePath", base).parquet(*paths)
    return found.select(*like.columns)


def _described(spark: SparkSession, folder: str) -> list[NewFile]:
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(folder)
    storage = path.getFileSystem(spark._jsc.hadoopConfiguration())
    base, listed, found = storage.makeQualified(path).toString(), storage.listFiles(path, True), []
    while listed.hasNext():
        status = listed.next()
        if status.getPath().getName().startswith("part-"):
            found.append(status)

    def describe(status: Any) -> NewFile:
        location = status.getPath().toString()
        folders = location.removeprefix(f"{base}/").split("/")[:-1]
        kinds = [each.partition("=")[2] for each in folders if each.startswith(f"{ROWS}=")]
        footer = _footer(jvm, storage, status)
        return NewFile(
            location=location,
            kind=kinds[0] if kinds else "",
            folders=tuple(each for each in folders if not each.startswith(f"{ROWS}=")),
            size=status.getLen(),
            modified_at=status.getModificationTime(),
            rows=footer.num_rows,
            nulls=count_nulls(footer),
        )

    return _at_a_time(describe, found)


def _at_a_time(do: Callable[[Given], Result], each: Sequence[Given]) -> list[Result]:
    """Call a function for each file, several at a time, because the latency of storage exceeds the work."""
    with ThreadPoolExecutor(_FILES_AT_A_TIME) as threads:
        return list(threads.map(do, each))


def _footer(jvm: Any, storage: Any, status: Any) -> pq.FileMetaData:
    location, size = status.getPath().toString(), status.getLen()
    if location.startswith(_LOCAL):
        return pq.read_metadata(location.removeprefix(_LOCAL))
    data = _tail(jvm, storage, status.getPath(), size, _TAIL)
    needed = int.from_bytes(data[-8:-4], "little") + 8
    if needed > len(data):
        data = _tail(jvm, storage, status.getPath(), size, needed)
    return pq.read_metadata(pa.BufferReader(_MAGIC + data[-needed:]))


def _tail(jvm: Any, storage: Any, path: Any, size: int, most: int) -> bytes:
    stream = storage.open(path)
    try:
        stream.seek(max(0, size - most))
        return bytes(jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
    finally:
        stream.close()


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
