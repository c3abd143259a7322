"""Resolves repeated ids: the first row in its file stays, the others go to quarantine."""

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.byte_ranges import ByteRange
from cqa_spark.corpora.stackexchange.dump_stream import Access
from cqa_spark.corpora.stackexchange.ingest.range_reading import FileReading
from cqa_spark.corpora.stackexchange.range_task import open_range
from cqa_spark.corpora.stackexchange.table_columns import table_rows
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import TableFiles
from cqa_spark.lake.writing import nullable
from cqa_spark.spark.persistence import persisted

MOST_SELECTED = 1_000_000
"""Repeated ids up to which tasks look for them, some 30 MB. Of more, all rows pass through Spark."""

_ORIGIN = (
    T.StructField("byte_offset", T.LongType()),
    T.StructField("raw", T.StringType()),
    T.StructField("content", T.StringType()),
)

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Settled:
    """The rows of a table after repeated ids were resolved.

    Attributes:
        files: the rows of the sites whose files were examined.
        quarantine: the rows that are not the first of their id.
        refused: their number, by source file.
    """

    files: TableFiles
    quarantine: TableFiles
    refused: Mapping[str, int]


def settle_repeats(
    run: Run, table: Table, stored: TableFiles, readings: Sequence[FileReading], access: Access
) -> Settled | None:
    """Keep the first row of each id.

    Args:
        run: the run.
        table: the table.
        stored: the rows that were read.
        readings: the files that may repeat ids; the rows of other sites are not examined.
        access: how to read the files again.

    Returns:
        The rows that stay, and those that do not; None if no id is repeated.
    """
    sites = {reading.opened.file.site for reading in readings}
    rows = run.lake.read(table, stored.of(sites))
    key = list(table.key)
    with ExitStack() as held:
        (repeated,) = held.enter_context(persisted(rows.groupBy(*key).count().where("count > 1").select(*key)))
        count = repeated.limit(MOST_SELECTED + 1).count()
        if not count:
            return None
        ids = _by_site(repeated) if count <= MOST_SELECTED else None
        copies = _copies(run, table, readings, access, ids).join(repeated, key, "left_semi")
        (settled,) = held.enter_context(persisted(keep_first(copies, table)))
        refused = settled.where(F.col("reason").isNotNull())
        first = settled.where(F.col("reason").isNull()).select(*rows.columns)
        others = rows.join(repeated, key, "left_anti").select(*rows.columns)
        files = run.new_files(table, others.unionByName(first))
        quarantine = run.new_files(QUARANTINE, refused.select(*QUARANTINE.schema.names))
        counts = refused.groupBy("source_file").count().collect()
        return Settled(files, quarantine, {row["source_file"]: row["count"] for row in counts})


def keep_first(copies: DataFrame, table: Table) -> DataFrame:
    """Find the first of several rows with the same id.

    Args:
        copies: the rows, with byte_offset and content, the hash of all that the file says of a row.
        table: their table.

    Returns:
        The rows with the column reason, which is null for the first.
    """
    by_key = Window.partitionBy(*table.key).orderBy("byte_offset")
    first = F.first(F.struct("byte_offset", "content")).over(by_key).alias("first")
    same = F.when(F.col("first.content") == F.col("content"), "the same").otherwise("another")
    text = F.format_string(
        "%s row has Id %s already: %s, byte %d", same, table.key[-1], "source_file", F.col("first.byte_offset")
    )
    reason = F.when(F.col("first.byte_offset") != F.col("byte_offset"), text)
    return copies.select("*", first).withColumn("reason", reason).drop("first", "content")


def _by_site(repeated: DataFrame) -> dict[str, Ids]:
    ids: dict[str, list[int]] = {}
    for site, row_id in repeated.collect():
        ids.setdefault(site, []).append(int(row_id))
    return {site: np.array(of_site, np.int64) for site, of_site in ids.items()}


def _copies(
    run: Run, table: Table, readings: Iterable[FileReading], access: Access, ids: Mapping[str, Ids] | None
) -> DataFrame:
    """The rows with some ids as they stand in their files."""
    parts = [
        replace(result.part, start=result.begin or 0, is_line_start=True)
        for reading in readings
        for result in reading.ranges
    ]
    spark = run.lake.spark
    tasks = spark.createDataFrame([(pickle.dumps(part),) for part in parts], "part binary").repartition(len(parts))
    schema = T.StructType([*nullable(table.schema), *_ORIGIN])
    return tasks.mapInArrow(partial(_read_copies, access, ids, schema), schema)


def _read_copies(
    access: Access, ids: Mapping[str, Ids] | None, schema: T.StructType, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    arrow_schema = to_arrow_schema(schema)
    for batch in batches:
        for pickled in batch.column(0).to_pylist():
            part: ByteRange = pickle.loads(pickled)
            file = part.opened.file
            with open_range(part, access) as reader:
                for block in reader.blocks():
                    for rows in block.rows:
                        wanted = np.ones(len(rows.ids), np.bool_) if ids is None else np.isin(rows.ids, ids[file.site])
                        columns = {name: column.filter(pa.array(wanted)) for name, column in rows.columns.items()}
                        spans = rows.spans[wanted].tolist()
                        stored = table_rows(file.dump_table, columns, file.site, file.path)
                        origin = [
                            pa.array([start for start, _ in spans], pa.int64()),
                            pa.array([reader.text_of(start, stop) for start, stop in spans], pa.string()),
                            pa.array(map(_hash, pa.table(columns).to_pylist()), pa.string()),
                        ]
                        yield pa.RecordBatch.from_arrays([*stored.columns, *origin], schema=arrow_schema)


def _hash(row: Mapping[str, object]) -> str:
    return sha256(repr(row).encode()).hexdigest()
