"""Writes rows with hundreds of columns as Parquet files, column by column.

Spark's own writer passes one value after the other to the encoder of its column. With hundreds of columns, this takes
twice as long as passing batches of rows to Python, where Arrow encodes whole columns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.lake.new_file import NO_VALUE, NewFile, count_nulls
from cqa_spark.object_store.credentials import credentials, use_credentials
from cqa_spark.object_store.opening import open_store

WIDE = 100
"""Number of columns, those within structs counted, above which a table is wide; also Spark's own limit for code
generation."""

_ROWS = 32_768
"""Number of rows of a row group, and of rows that a task keeps in memory."""

_ESCAPED = frozenset("\"#%'*/:=?\\{[]^\x7f") | frozenset(map(chr, range(1, 32)))
"""Characters that Spark escapes in the names of partition folders."""

_WRITTEN = T.StructType(
    [
        T.StructField("key", T.StringType()),
        T.StructField("size", T.LongType()),
        T.StructField("modified_at", T.LongType()),
        T.StructField("rows", T.LongType()),
        T.StructField("nulls", T.MapType(T.StringType(), T.LongType())),
    ]
)


def is_wide(schema: T.StructType) -> bool:
    """Whether rows of this schema are written faster by columns."""
    return _leaves(schema) > WIDE


def write_wide_files(
    frame: DataFrame, folder: str, partition_by: Sequence[str], storage: ObjectStorageSettings
) -> list[NewFile]:
    """Write the rows, in one job; each task writes a file for each of its partitions.

    Args:
        frame: the rows.
        folder: a new folder, local or in a bucket; a task that is repeated leaves unused files there.
        partition_by: partition columns, all of strings.
        storage: object storage settings.
    """
    at = folder if is_remote(folder) else str(Path(folder).absolute())
    address = at if is_remote(at) else f"file:{at}"
    write = _writing(at, partition_by, storage, credentials())
    return [
        NewFile(f"{address}/{key}", tuple(key.split("/")[:-1]), *described)
        for key, *described in frame.mapInArrow(write, _WRITTEN).collect()
    ]


class _File:
    """A file in memory, to which row groups are added."""

    def __init__(self, folder: str, schema: pa.Schema) -> None:
        self.key = "/".join([*([folder] if folder else []), f"part-{uuid4().hex}.snappy.parquet"])
        self._schema = schema
        self._sink = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(self._sink, schema, store_schema=False)
        self._waiting: list[pa.RecordBatch] = []

    def add(self, rows: pa.RecordBatch) -> None:
        """Add rows to the next row group."""
        self._waiting.append(rows)

    def end_row_group(self) -> None:
        """Encode the rows that were added."""
        if self._waiting:
            self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema).combine_chunks())
            self._waiting.clear()

    def close(self) -> tuple[bytes, pq.FileMetaData]:
        """The bytes of the file, and its metadata."""
        self.end_row_group()
        self._writer.close()
        data = self._sink.getvalue()
        return data.to_pybytes(), pq.read_metadata(pa.BufferReader(data))


def _writing(
    folder: str, partition_by: Sequence[str], storage: ObjectStorageSettings, given: Mapping[str, str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        files: dict[str, _File] = {}
        waiting = 0
        for batch in batches:
            for name, rows in _by_folder(batch, partition_by):
                if name not in files:
                    files[name] = _File(name, rows.schema)
                files[name].add(rows)
            waiting += batch.num_rows
            if waiting >= _ROWS:
                waiting = 0
                for file in files.values():
                    file.end_row_group()
        use_credentials(given)
        store = open_store(folder, storage)
        for file in files.values():
            data, footer = file.close()
            store.put(file.key, data)
            written = file.key, len(data), time.time_ns() // 1_000_000, footer.num_rows, count_nulls(footer)
            yield pa.RecordBatch.from_pylist(
                [dict(zip(_WRITTEN.names, written, strict=True))], to_arrow_schema(_WRITTEN)
            )

    return write


def _by_folder(batch: pa.RecordBatch, partition_by: Sequence[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of each partition, without the partition columns, by the path of its folder."""
    rows = batch.select([name for name in batch.schema.names if name not in partition_by])
    keys = pa.Table.from_batches([batch.select(partition_by)])
    found = keys.group_by(partition_by).aggregate([]).to_pylist() if partition_by else [{}]
    for key in found:
        folder = "/".join(f"{name}={_spelled(key[name])}" for name in partition_by)
        is_here = (_equals(batch[name], key[name]) for name in partition_by)
        yield folder, rows if len(found) == 1 else rows.filter(reduce(pc.and_, is_here))


def _equals(values: pa.Array, value: str | None) -> pa.Array:
    return pc.is_null(values) if value is None else pc.fill_null(pc.equal(values, value), False)


def _spelled(value: str | None) -> str:
    if value is None:
        return NO_VALUE
    return "".join(f"%{ord(letter):02X}" if letter in _ESCAPED else letter for letter in value)


def _leaves(kind: T.DataType) -> int:
    """The number of columns of a type, those within structs counted."""
    return sum(_leaves(field.dataType) for field in kind) if isinstance(kind, T.StructType) else 1
