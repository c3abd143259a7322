"""Writes rows as Parquet files, of a table or for other programs: tasks write them, and return what is in them.

A file has the rows of one site (and of one value of every other column that divides the table), so that a later run can
replace the rows of a site by replacing files. Only the files that the action returns count: a repeated
task leaves files that no manifest names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cqa_spark.lake.table import DataFile, Table
from cqa_spark.object_store.locations import open_store
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.internals import to_arrow_schema

_ROWS = 32_768
_BYTES = 64 << 20
"""Rows, and bytes, that a task collects before it writes a row group of every file."""

TABLE = "table_name"
"""The column that names the table of a row, among rows of several tables."""

_LONG_TEXTS = frozenset({"about", "body", "clean", "raw", "text"})
"""Columns of long texts, nearly all of them distinct: a dictionary and the limits of them take time without benefit."""

_WRITTEN = T.StructType(
    [
        T.StructField("path", T.StringType()),
        T.StructField("bytes", T.LongType()),
        T.StructField("rows", T.LongType()),
        T.StructField("values", T.MapType(T.StringType(), T.StringType())),
        T.StructField("nulls", T.MapType(T.StringType(), T.LongType())),
    ]
)


@dataclass(frozen=True)
class Destination:
    """Where the tasks of one write put the files of a table.

    Attributes:
        table: the declaration of the table; the columns that divide it are strings.
        root: the lake, an absolute path or in a bucket.
        folder: of the lake, for this write alone.
        storage: object storage settings.
    """

    table: Table
    root: str
    folder: str
    storage: ObjectStorageSettings

    @property
    def path(self) -> str:
        """The folder's path."""
        return f"{self.root.rstrip('/')}/{self.folder}"

    @property
    def schema(self) -> T.StructType:
        """The columns of the files."""
        return nullable(self.table.schema)

    @property
    def divided_by(self) -> list[str]:
        """Columns of which a file has one value."""
        return [name for name in self.table.partition_by if name in self.table.schema.names]

    @property
    def key(self) -> list[str]:
        """Columns by which the rows of a file are sorted."""
        return [name for name in self.table.key if name in self.table.schema.names and name not in self.divided_by]

    def file_name(self, values: Mapping[str, str | None]) -> str:
        """A new name for a file of rows with these values of the columns that divide the table."""
        return f"part-{uuid4().hex}.parquet"

    @contextmanager
    def writer(self) -> Iterator[TableWriter]:
        """Open the writer of a task; what it has not finished at the end of the block stays invisible."""
        with folder_to_write(self.path) as here:
            yield TableWriter(self, here)


@dataclass(frozen=True)
class PlainDestination(Destination):
    """Where the tasks put files for other programs: in a folder ``NAME=VALUE`` for each value of a column.

    The table of other programs has no declaration: ``table`` holds the columns of the rows and those that divide them.
    """

    @property
    def path(self) -> str:
        """The folder's path."""
        return self.root

    @property
    def schema(self) -> T.StructType:
        """The columns of the files: without those that divide them, whose values are in the names of folders."""
        return T.StructType([field for field in super().schema if field.name not in self.divided_by])

    def file_name(self, values: Mapping[str, str | None]) -> str:
        """A new name, in the folder of the values."""
        folders = (f"{name}={_NO_VALUE if value is None else value}/" for name, value in values.items())
        return f"{''.join(folders)}{super().file_name(values)}"


def write_files(frame: DataFrame, *destinations: Destination) -> tuple[DataFile, ...]:
    """Write the rows of a frame in one job; return the files, which all have rows.

    Args:
        frame: the stored columns; for several destinations the columns of all, and ``TABLE``.
        destinations: of different tables.
    """
    written = frame.mapInArrow(partial(_write, destinations), _WRITTEN).collect()
    return tuple(DataFile(*described) for described in written)


def rebalanced(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The rows in partitions of about one size, those with the same values of some columns in as few as possible.

    Adaptive execution merges small partitions and divides large ones, by the setting
    ``spark.sql.adaptive.advisoryPartitionSizeInBytes``. Without it, Spark ignores the hint.
    """
    return frame.sparkSession.sql(f"SELECT /*+ REBALANCE({', '.join(columns)}) */ * FROM {{frame}}", frame=frame)


class TableWriter:
    """Writes the rows of a task to files, which appear when all of them are complete.

    Args:
        destination: where to.
        here: a folder of this machine.
    """

    def __init__(self, destination: Destination, here: Path) -> None:
        self._destination, self._here = destination, here
        self._schema = to_arrow_schema(destination.schema)
        self._divided_by, self._key = destination.divided_by, destination.key
        self._files: dict[tuple[str | None, ...], _File] = {}
        self._rows = self._bytes = 0

    def add(self, rows: pa.RecordBatch) -> None:
        """Add rows, which may have further columns; they are written when there are enough for a row group."""
        for values, part in _divided(rows, self._divided_by):
            if values not in self._files:
                named = dict(zip(self._divided_by, values, strict=True))
                name = self._destination.file_name(named)
                self._files[values] = _File(self._here, name, self._schema, self._key, named)
            self._files[values].add(part.select(self._schema.names))
        self._rows, self._bytes = self._rows + rows.num_rows, self._bytes + rows.nbytes
        if self._rows >= _ROWS or self._bytes >= _BYTES:
            self._rows = self._bytes = 0
            for file in self._files.values():
                file.end_row_group()

    def finish(self) -> list[DataFile]:
        """Complete the files."""
        folder = self._destination.folder
        files = [file.close(f"{folder}/" if folder else "") for file in self._files.values()]
        for file in self._files.values():
            deliver(file.path, self._destination.path, file.name, self._destination.storage)
        return files


class _File:
    """A file that grows by row groups, in a folder of this machine."""

    def __init__(
        self, folder: Path, name: str, schema: pa.Schema, key: Sequence[str], values: Mapping[str, str | None]
    ) -> None:
        self.name = name
        self.path = folder / f"{name.rpartition('/')[2]}.unfinished"
        self.values = values
        self._key = [(name, "ascending") for name in key]
        self._schema = schema
        self._nulls = {field.name: 0 for field in schema if not pa.types.is_nested(field.type)}
        short = [name for name in schema.names if name not in _LONG_TEXTS]
        # A column that alone is the key has no value twice.
        encoded = [name for name in short if [name] != list(key)]
        self._writer = pq.ParquetWriter(
            self.path, schema, use_dictionary=encoded, write_statistics=short, store_schema=False
        )
        self._waiting: list[pa.RecordBatch] = []

    def add(self, rows: pa.RecordBatch) -> None:
        """Add rows to the next row group."""
        self._waiting.append(rows)

    def end_row_group(self) -> None:
        """Write the rows that were added, in the order of the table's key."""
        if self._waiting:
            rows = pa.Table.from_batches(self._waiting).cast(self._schema)
            for name in self._nulls:
                self._nulls[name] += rows[name].null_count
            self._writer.write_table(rows.sort_by(self._key) if self._key else rows)
            self._waiting.clear()

    def close(self, folder: str) -> DataFile:
        """End the file; return its entry in a folder of the lake."""
        self.end_row_group()
        self._writer.close()
        rows, size = pq.read_metadata(self.path).num_rows, self.path.stat().st_size
        return DataFile(f"{folder}{self.name}", size, rows, dict(self.values), self._nulls)


def _write(destinations: Sequence[Destination], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    with ExitStack() as stack:
        writers: dict[str | None, TableWriter] = {}
        for destination in destinations:
            writers[destination.table.name] = stack.enter_context(destination.writer())
        for batch in batches:
            parts = _divided(batch, [TABLE]) if len(writers) > 1 else [((*writers,), batch)]
            for (table,), rows in parts:
                writers[table].add(rows)
        files = [file for writer in writers.values() for file in writer.finish()]
    if files:
        yield pa.RecordBatch.from_pylist(list(map(asdict, files)), to_arrow_schema(_WRITTEN))


@contextmanager
def folder_to_write(folder: str) -> Iterator[Path]:
    """The target folder, or a temporary one of this machine for a target in a bucket."""
    if is_remote(folder):
        with TemporaryDirectory(prefix="cqa-write-") as here:
            yield Path(here)
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    yield Path(folder)


def deliver(file: Path, folder: str, name: str, storage: ObjectStorageSettings) -> None:
    """Give a complete file its name; readers that list the folder see the whole file or none.

    Args:
        file: in the folder that ``folder_to_write`` gave.
        folder: the target folder.
        name: relative to it.
        storage: object storage settings.
    """
    if is_remote(folder):
        from cqa_spark.object_store.locations import send  # slow import of boto3, not needed for local files

        send(file, f"{folder}/{name}", storage)
        file.unlink()
    else:
        target = Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.rename(target)


def nullable(schema: T.StructType) -> T.StructType:
    """The schema with all columns nullable, as they are stored."""
    return T.StructType([T.StructField(field.name, field.dataType, True, field.metadata) for field in schema])


def _divided(batch: pa.RecordBatch, by: Sequence[str]) -> Iterator[tuple[tuple[str | None, ...], pa.RecordBatch]]:
    """The rows by the values of some columns."""
    if not batch.num_rows:
        return
    groups: list[tuple[str | None, ...]] = [()]
    if by:
        keys = pa.Table.from_batches([batch.select(by)]).group_by(by).aggregate([])
        groups = [tuple(key[name] for name in by) for key in keys.to_pylist()]
    for values in groups:
        if len(groups) == 1:
            yield values, batch
            return
        in_group = [
            pc.is_null(batch[name]) if value is None else pc.fill_null(pc.equal(batch[name], value), False)
            for name, value in zip(by, values, strict=True)
        ]
        yield values, batch.filter(reduce(pc.and_, in_group))


SUCCESS = "_SUCCESS"
"""Name of the empty file by which programs of the Hadoop world know that a folder is complete."""

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def write_plain_files(
    frame: DataFrame, folder: str, storage: ObjectStorageSettings, *, partition_by: Sequence[str] = ()
) -> tuple[str, ...]:
    """Write a frame as Parquet outside the lake, for other programs, in place of all files that are in the folder.

    Files of earlier calls and of failed tasks are deleted once the new ones are complete; then ``_SUCCESS`` is written.

    Args:
        frame: the rows.
        folder: target folder, local or in a bucket.
        storage: object storage settings.
        partition_by: columns of strings with a folder for each value.

    Returns:
        The names of the new files, relative to the folder.
    """
    store = open_store(folder, storage)
    store.delete(SUCCESS)
    table = Table("plain", "For other programs.", tuple(frame.schema), key=(), partition_by=tuple(partition_by))
    local = folder if is_remote(folder) else str(Path(folder).absolute())
    names = tuple(file.path for file in write_files(frame, PlainDestination(table, local, "", storage)))
    store.delete_all(sorted({*store.keys()} - {*names}))
    store.put(SUCCESS, b"")
    return names
