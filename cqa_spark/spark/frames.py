"""Ways to compute DataFrames: persisted for a block, concurrently, in groups of rows, in packed rows, in one task.

- ``without_rows`` is empty for Spark's optimizer, too.
- ``persist`` keeps rows in memory until the step ends.
- ``run_concurrently`` runs independent Spark jobs at the same time.
- ``whole_groups`` cuts a stream of sorted rows into tables that contain whole keys, ``runs`` a table by its values.
- ``packed`` makes one row of adjacent rows of a key, with their values as binary records.
- ``partition_keys`` sends rows to chosen partitions.
- ``learn_in_one_task`` passes all rows to one function, and ``arrow_rows`` collects results with arrays.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import reduce
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.process.signals import Stopped
from cqa_spark.spark.internals import active_context, in_another_thread, scan_of


def without_rows(spark: SparkSession, schema: T.StructType) -> DataFrame:
    """A frame without rows, which takes no task, and neither do most joins with it: a limit of 0 says so to Spark.

    Args:
        spark: the session.
        schema: the columns.
    """
    return spark.createDataFrame([], schema).limit(0)


_SCOPE: ContextVar[ExitStack | None] = ContextVar("persistence scope", default=None)


@contextmanager
def persistence_scope() -> Iterator[None]:
    """Release what ``persist`` is called with in the block, also in its concurrent parts, when the block ends.

    Every step is such a block, so functions of a step may return DataFrames that they persisted.
    """
    with ExitStack() as scope:
        outer = _SCOPE.set(scope)
        try:
            yield
        finally:
            _SCOPE.reset(outer)


def persist(frame: DataFrame) -> DataFrame:
    """Persist a DataFrame until the innermost scope ends; it is computed when it is first read.

    Unlike a checkpoint, rows that an executor took with it are computed again.

    Returns:
        The scan of the persisted rows (``scan_of``); the DataFrame itself outside of every scope, where nothing would
        release the rows.
    """
    scope = _SCOPE.get()
    if scope is None:
        return frame
    scope.callback(frame.persist().unpersist)
    return scan_of(frame)


@contextmanager
def persisted(*frames: DataFrame) -> Iterator[tuple[DataFrame, ...]]:
    """Persist DataFrames while the block runs; each is computed when it is first read.

    Yields:
        The scans of the persisted rows (``scan_of``).
    """
    with ExitStack() as held:
        for frame in frames:
            held.callback(frame.persist().unpersist)
        yield tuple(map(scan_of, frames))


AT_A_TIME = 2
"""Maximum number of concurrent parts; each may hold rows in memory."""

CANCEL_EVERY = 0.2
"""Seconds between requests to cancel the Spark jobs of parts, which may start another job before they stop."""

Part = TypeVar("Part")
Result = TypeVar("Result")
Rows = TypeVar("Rows", pa.RecordBatch, pa.Table)


def run_concurrently(do: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """Call a function on each part concurrently; return the results in the order of the parts.

    Planning a job occupies one thread of the driver, and training on one partition one core; other cores would be idle.

    Args:
        do: runs Spark jobs; must not wait for another part.
        parts: the arguments of the calls.

    Raises:
        the error of the first part that failed, after the running parts have ended.
    """
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        # A part runs in a copy of the context, with the caller's scope of persisted rows.
        results = [threads.submit(copy_context().run, in_another_thread(do), part) for part in parts]
        try:
            return [result.result() for result in results]
        except Stopped:
            cancel(results)
            raise
        finally:
            for result in results:
                result.cancel()


def cancel(results: Collection[Future[Result]]) -> None:
    """Cancel waiting parts, and the Spark jobs of running parts until they have ended."""
    for result in results:
        result.cancel()
    while wait(results, CANCEL_EVERY).not_done:
        cancel_jobs()


def cancel_jobs() -> None:
    """Cancel all Spark jobs; a no-op if Spark does not run, or its Java process has ended."""
    context = active_context()
    if context is not None:
        with suppress(Exception):
            context.setLogLevel("OFF")  # Spark logs every cancelled job, with a stack trace
            context.cancelAllJobs()


ROWS_AT_A_TIME = 50_000
"""Number of rows per table, unless one key has more."""


def whole_groups(
    batches: Iterable[pa.RecordBatch],
    *keys: str,
    at_a_time: int = ROWS_AT_A_TIME,
    size: Callable[[pa.RecordBatch], int] = lambda rows: rows.num_rows,
) -> Iterator[pa.Table]:
    """Yield tables that contain whole keys.

    Args:
        batches: rows in order of the keys.
        keys: columns without nulls; without keys, tables end anywhere.
        at_a_time: minimum size of a table; the table ends at the next change of the key.
        size: measures the size of rows; by default their number.
    """
    waiting: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        more = size(batch)
        end = _start_of_last(batch, keys) if held + more >= at_a_time else 0
        if end and held + size(batch.slice(0, end)) >= at_a_time:
            yield pa.Table.from_batches([*waiting, batch.slice(0, end)]).combine_chunks()
            waiting, held, batch = [], 0, batch.slice(end)
            more = size(batch)
        waiting.append(batch)
        held += more
    if held:
        yield pa.Table.from_batches(waiting).combine_chunks()


def runs(rows: Rows, column: str) -> Iterator[tuple[str, Rows]]:
    """Each run of rows with the same value of a column of strings, which has no nulls, and this value."""
    values = rows[column]
    encoded = pc.run_end_encode(values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values)
    start = 0
    for value, end in zip(encoded.values.to_pylist(), encoded.run_ends.to_pylist(), strict=True):
        yield value, rows.slice(start, end - start)
        start = end


def _start_of_last(batch: pa.RecordBatch, keys: Sequence[str]) -> int:
    """The index at which the last key of a batch starts, or without keys its end; 0 if there is only one key."""
    if not batch.num_rows or not keys:
        return batch.num_rows
    differ = [pc.not_equal(batch.column(name), batch.column(name)[-1]) for name in keys]
    others = np.flatnonzero(reduce(pc.or_, differ))
    return int(others[-1]) + 1 if len(others) else 0


PACKED = "packed"
"""Column with the records of a packed row."""

Batches = Iterable[pa.RecordBatch]


def packed(frame: DataFrame, key: Sequence[str], record: np.dtype[np.void]) -> DataFrame:
    """One row for each run of rows with the same key.

    Shuffling, sorting and converting a packed row costs Spark about as much as a single one.

    Args:
        frame: rows; those with the same key are mostly adjacent.
        key: columns without nulls.
        record: its fields are the columns to pack; they hold numbers or booleans, and nulls become 0 or False.

    Returns:
        The other columns, as in the first row of the run, and ``PACKED``.
    """
    others = [field for field in frame.schema if field.name not in (record.names or ())]

    def pack_batches(batches: Batches) -> Batches:
        for rows in whole_groups(batches, *key):
            yield from pack(rows, key, record).to_batches()

    return frame.mapInArrow(pack_batches, T.StructType([*others, T.StructField(PACKED, T.BinaryType())]))


def unpacked(rows: pa.Table, record: np.dtype[np.void]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The records of packed rows, and for each the position of its row.

    Args:
        rows: with the column ``PACKED``, without nulls.
        record: the type of the records.
    """
    values = rows[PACKED].to_numpy()
    counts = pc.binary_length(rows[PACKED]).to_numpy() // record.itemsize
    return np.frombuffer(b"".join(values), record), np.repeat(np.arange(len(values)), counts)


def numbers(column: pa.ChunkedArray) -> NDArray[np.generic]:
    """The values as numbers or booleans; nulls are 0 or False."""
    kind = column.type.to_pandas_dtype()
    values: NDArray[np.generic] = column.fill_null(kind(0)).to_numpy()
    return values


def pack(rows: pa.Table, key: Sequence[str], record: np.dtype[np.void]) -> pa.Table:
    """As ``packed``, for rows in memory."""
    names = record.names or ()
    records = np.empty(rows.num_rows, record)
    for name in names:
        records[name] = numbers(rows[name])
    # A packed row starts where a key differs from the key of the row before.
    is_start = np.ones(rows.num_rows, np.bool_)
    is_start[1:] = reduce(pc.or_, (pc.not_equal(rows[name][1:], rows[name][:-1]) for name in key)).to_numpy()
    starts = np.flatnonzero(is_start)
    # Values of the packed column: byte offsets into all records, one after the other.
    offsets = np.append(starts, rows.num_rows).astype(np.int32) * np.int32(record.itemsize)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(records)]
    values = pa.Array.from_buffers(pa.binary(), len(starts), buffers)
    return rows.drop_columns(list(names)).take(starts).append_column(PACKED, values)


_CANDIDATES = 16
"""Numbers that are tried for each partition; that none of them reaches it has a chance of e to the power of -16."""


def partition_keys(spark: SparkSession, partitions: int) -> list[int]:
    """One key for each partition of ``repartition(partitions, key)``, so that no partition has rows of two keys.

    Few distinct keys would share partitions: hashes of keys collide, and ranges of keys are estimated from a sample.

    Args:
        spark: computes the hashes.
        partitions: number of partitions.
    """
    key = F.col("id").cast("int")
    partition = F.pmod(F.hash(key), F.lit(partitions)).alias("partition")
    by_partition = spark.range(_CANDIDATES * partitions).groupBy(partition).agg(F.min(key).alias("key"))
    return [row["key"] for row in by_partition.orderBy("partition").collect()]


Learn = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def arrow_rows(frame: DataFrame) -> list[dict[str, Any]]:
    """Collect rows by Arrow, which copies binary values. `DataFrame.collect` pickles their bytes one by one.

    Args:
        frame: without nulls in columns of numbers, which pandas would make floats.

    Returns:
        The values by column; arrays are NumPy arrays.
    """
    return cast("list[dict[str, Any]]", frame.toPandas().to_dict("records"))


def learn_in_one_task(rows: DataFrame, order: Sequence[str], learn: Learn, schema: str) -> list[dict[str, Any]]:
    """Pass all rows, in order, to a function in one task, so that the result does not depend on the partitioning.

    Args:
        rows: the rows.
        order: columns to sort by.
        learn: maps batches of the rows to batches of the result. Spark runs no task for an empty DataFrame, so the
            function then runs here, without batches.
        schema: schema of the result.

    Returns:
        As ``arrow_rows``.
    """
    learned = rows.repartition(1).sortWithinPartitions(*order).mapInArrow(learn, schema)
    return arrow_rows(learned) or [row for batch in learn(()) for row in batch.to_pylist()]
