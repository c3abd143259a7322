"""Reads Parquet files by their names: Spark's own reader where Java can reach them, else tasks, from any object store.

Spark reads only the columns that a query needs, in a vectorized way. It needs a file system in Java for addresses in
buckets, which platforms bring (EMR, Dataproc, Databricks) and laptops lack. Tasks need nothing: they copy a file
and give Spark its rows by Arrow, with all declared columns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from cqa_spark.object_store.locations import open_store, split
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.frames import without_rows
from cqa_spark.spark.internals import java_reads, to_arrow_schema

_LARGEST_TASK, _SMALLEST_TASK, _OPENING = 128 << 20, 4 << 20, 4 << 20
"""Bytes that a task reads at most and at least, if there are more, and what opening a file costs, in bytes: those of
Spark's reader."""

_ROWS = 8192
"""Rows of a batch that a task gives to Spark."""

_PATTERN_CHARACTERS = str.maketrans({character: rf"\{character}" for character in "][{}*?\\"})


def read_parquet(
    spark: SparkSession, schema: T.StructType, files: Mapping[str, int], storage: ObjectStorageSettings
) -> DataFrame:
    """The rows of files; declared columns that a file lacks are null, others are not read.

    Args:
        spark: the session.
        schema: the declared columns.
        files: bytes by location; they are local, or all in one store.
        storage: object storage settings.
    """
    if not files:
        return without_rows(spark, schema)
    first = next(iter(files))
    if not is_remote(first) or java_reads(spark, first):
        # Spark expands patterns in paths: brackets and asterisks are escaped.
        return spark.read.schema(schema).parquet(*[file.translate(_PATTERN_CHARACTERS) for file in files])
    parts = tasks_of(files, spark.sparkContext.defaultParallelism)
    rows = [([*part],) for part in parts]
    # Of a frame of an RDD, Spark assumes that it is large, and does not broadcast it to join.
    tasks = spark.createDataFrame(spark.sparkContext.parallelize(rows, len(rows)), "files array<string>")
    return tasks.mapInArrow(partial(_rows, schema, storage), schema)


def tasks_of(files: Mapping[str, int], at_once: int) -> list[list[str]]:
    """Files by the task that reads them, in their order, as Spark packs them.

    Args:
        files: bytes by location.
        at_once: number of tasks that run at the same time.
    """
    total = sum(files.values()) + _OPENING * len(files)
    most = min(_LARGEST_TASK, max(_SMALLEST_TASK, total // at_once))
    tasks: list[list[str]] = []
    size = most
    for file, length in files.items():
        if size + length > most:
            tasks.append([])
            size = 0
        tasks[-1].append(file)
        size += length + _OPENING
    return tasks


def _rows(
    schema: T.StructType, storage: ObjectStorageSettings, tasks: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    declared = to_arrow_schema(schema)
    for task in tasks:
        for files in task["files"].to_pylist():
            yield from _rows_of(files, declared, storage)


def _rows_of(files: Sequence[str], schema: pa.Schema, storage: ObjectStorageSettings) -> Iterator[pa.RecordBatch]:
    with TemporaryDirectory(prefix="cqa-read-") as folder:
        for file in files:
            copy = Path(folder, "copy.parquet")
            within, name = split(file)
            open_store(within, storage).download(name, copy)
            parquet = pq.ParquetFile(copy)
            names = [name for name in schema.names if name in parquet.schema_arrow.names]
            for batch in parquet.iter_batches(_ROWS, columns=names):
                columns = [
                    batch[field.name].cast(field.type) if field.name in names else pa.nulls(batch.num_rows, field.type)
                    for field in schema
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)
