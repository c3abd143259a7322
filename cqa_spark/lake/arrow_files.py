"""Reads and writes Parquet files where Spark has no connector for their storage: tasks do it by Arrow.

Spark's own reader is used wherever there is one: it reads only the columns and row groups that a plan needs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.object_store.locations import open_file, send
from cqa_spark.object_store.store import credentials, storage_of, use_credentials
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote

_BYTES_OF_A_TASK = 128 << 20


def is_read_in_tasks(location: str) -> bool:
    """Whether Spark has no connector for a location."""
    return is_remote(location) and not storage_of(location).is_read_by_spark


def read_in_tasks(
    session: SparkSession, files: Sequence[tuple[str, int]], schema: T.StructType, storage: ObjectStorageSettings
) -> DataFrame:
    """The rows of Parquet files; columns that a file lacks are null, others are not read.

    Args:
        session: runs the tasks.
        files: location and bytes of each.
        schema: of the rows.
        storage: object storage settings.
    """
    parts: list[list[str]] = [[]]
    size = 0
    for location, bytes_ in files:
        if parts[-1] and size + bytes_ > _BYTES_OF_A_TASK:
            parts.append([])
            size = 0
        parts[-1].append(location)
        size += bytes_
    numbers = session.range(0, len(parts), 1, len(parts))
    return numbers.mapInArrow(partial(_rows, parts, to_arrow_schema(schema), storage, credentials()), schema)


def write_in_tasks(frame: DataFrame, location: str, storage: ObjectStorageSettings) -> None:
    """Write a frame as Parquet files of a new folder, one for every partition that has rows."""
    schema = to_arrow_schema(frame.schema)
    written = frame.mapInArrow(partial(_written, location, schema, storage, credentials()), "rows bigint")
    written.collect()


def _rows(
    parts: Sequence[Sequence[str]],
    schema: pa.Schema,
    storage: ObjectStorageSettings,
    variables: Mapping[str, str],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    use_credentials(variables)
    for number in (number for batch in batches for number in batch["id"].to_pylist()):
        for location in parts[number]:
            with open_file(location, storage) as stream:
                file = pq.ParquetFile(stream)
                present = [name for name in schema.names if name in file.schema_arrow.names]
                for rows in file.iter_batches(columns=present):
                    columns = [
                        rows[field.name].cast(field.type) if field.name in present else pa.nulls(len(rows), field.type)
                        for field in schema
                    ]
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _written(
    location: str,
    schema: pa.Schema,
    storage: ObjectStorageSettings,
    variables: Mapping[str, str],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    use_credentials(variables)
    with TemporaryDirectory(prefix="cqa-write-") as folder:
        file = Path(folder, f"part-{uuid4().hex}.parquet")
        rows = 0
        with pq.ParquetWriter(file, schema) as writer:
            for batch in batches:
                writer.write_batch(batch.cast(schema))
                rows += batch.num_rows
        if rows:
            send(file, f"{location}/{file.name}", storage)
            yield pa.RecordBatch.from_pydict({"rows": [rows]})
