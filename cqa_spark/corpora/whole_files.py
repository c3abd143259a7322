"""Reads small files whole, for formats that Spark cannot split into records."""

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.object_store.locations import open_file
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.internals import to_arrow_schema

GZIP = b"\x1f\x8b"
ROWS_PER_BATCH = 10_000


def read_whole_files(spark: SparkSession, paths: Sequence[str], storage: ObjectStorageSettings) -> DataFrame:
    """Read each file into one row, in a task of its own.

    A file that does not exist or cannot be read is an ``InputError`` of the task.

    Args:
        spark: the session.
        paths: local, or addresses in buckets.
        storage: object storage settings.

    Returns:
        file (int, position in the list) and content (binary).
    """
    rows = [(file, path if is_remote(path) else str(Path(path).absolute())) for file, path in enumerate(paths)]
    files = spark.createDataFrame(spark.sparkContext.parallelize(rows, len(rows)), "file int, path string")
    return files.mapInArrow(partial(_contents, storage), "file int, content binary")


def _contents(storage: ObjectStorageSettings, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            with open_file(row["path"], storage) as opened:
                content = opened.read()
            yield pa.record_batch({"file": pa.array([row["file"]], pa.int32()), "content": [content]})


def parse_files(files: DataFrame, parse: Callable[..., Iterator[Mapping[str, Any]]], schema: T.StructType) -> DataFrame:
    """The records of files.

    Args:
        files: a row for a file, as ``read_whole_files`` returns it, or for a part of one; ``file`` comes first.
        parse: returns the rows of a file, without the column ``file``; its arguments are the columns of ``files``.
        schema: of the rows.
    """

    def parse_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for batch in batches:
            for file, *contents in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                rows = ({"file": file, **row} for row in parse(file, *contents))
                while part := list(islice(rows, ROWS_PER_BATCH)):
                    yield pa.RecordBatch.from_pylist(part, schema=arrow_schema)

    return files.mapInArrow(parse_batches, schema)


class DamagedFile(Exception):
    """A file that cannot be decompressed; the message says why."""


def decompressed(content: bytes) -> bytes:
    """The content of a file, which may be compressed by gzip.

    Raises:
        DamagedFile: it is compressed, and truncated or damaged.
    """
    if not content.startswith(GZIP):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise DamagedFile(f"it cannot be decompressed: {error}") from error


def of_file(values: Sequence[str]) -> Column:
    """The value for the file of a row, such as its path.

    Args:
        values: one value per file, in the same order.
    """
    return F.array(*[F.lit(value) for value in values])[F.col("file")]
