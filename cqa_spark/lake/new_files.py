"""Writes rows as Parquet files of a table, to which no version refers until they are committed.

Spark writes into a separate folder outside the table, so that files of an interrupted writer never become part of the
table. The files are then moved into the table's partitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.lake.new_file import NewFile, count_nulls
from cqa_spark.lake.wide_files import is_wide, write_wide_files
from cqa_spark.spark.file_paths import literal_path

Given = TypeVar("Given")
Result = TypeVar("Result")

UNCOMMITTED = "uncommitted"
"""Folder of a lake for files before their commit; later processes do not need them."""

_FILES_AT_A_TIME = 16
_LOCAL = "file:"
_TAIL = 1 << 16
_MAGIC = b"PAR1"


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


def write_new_files(
    frame: DataFrame, root: str, partition_by: Sequence[str], storage: ObjectStorageSettings
) -> NewFiles:
    """Write the rows, in one job.

    Args:
        frame: the rows.
        root: the lake.
        partition_by: partition columns.
        storage: object storage settings.
    """
    folder = f"{root.rstrip('/')}/{UNCOMMITTED}/{uuid4().hex}"
    if is_wide(frame.schema):
        files = write_wide_files(frame, folder, partition_by, storage)
    else:
        frame.write.format("parquet").partitionBy(*partition_by).save(folder)
        files = _described(frame.sparkSession, folder)
    return NewFiles([folder], [file for file in files if file.rows])


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
    base = files[0].location.removesuffix(f"/{files[0].place}")
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
        footer = _footer(jvm, storage, status)
        size, modified_at = status.getLen(), status.getModificationTime()
        return NewFile(location, tuple(folders), size, modified_at, footer.num_rows, count_nulls(footer))

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
