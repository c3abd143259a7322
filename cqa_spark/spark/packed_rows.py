"""Packs adjacent rows with the same key into one, whose values are binary records.

To shuffle, sort and convert a packed row costs Spark about as much as a single one.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cqa_spark.spark.whole_groups import whole_groups

PACKED = "packed"
"""Column with the records of a packed row."""

Batches = Iterable[pa.RecordBatch]


def packed(frame: DataFrame, key: Sequence[str], record: np.dtype[np.void]) -> DataFrame:
    """One row for each run of rows with the same key.

    Args:
        frame: rows; those with the same key are mostly adjacent.
        key: columns without nulls.
        record: its fields are the columns to pack; they hold numbers or booleans, and nulls become 0 or False.

    Returns:
        The other columns, as in the first row of the run, and ``PACKED``.
    """
    others = [field for field in frame.schema if field.name not in (record.names or ())]
    return frame.mapInArrow(_packing(key, record), T.StructType([*others, T.StructField(PACKED, T.BinaryType())]))


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
    starts = np.flatnonzero(_is_new(rows, key))
    offsets = np.append(starts, rows.num_rows).astype(np.int32) * np.int32(record.itemsize)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(records)]
    values = pa.Array.from_buffers(pa.binary(), len(starts), buffers)
    return rows.drop_columns(list(names)).take(starts).append_column(PACKED, values)


def _packing(key: Sequence[str], record: np.dtype[np.void]) -> Callable[[Batches], Batches]:
    def pack_batches(batches: Batches) -> Batches:
        for rows in whole_groups(batches, *key):
            yield from pack(rows, key, record).to_batches()

    return pack_batches


def _is_new(rows: pa.Table, key: Sequence[str]) -> NDArray[np.bool_]:
    """Whether the key of a row differs from that of the row before."""
    starts = np.ones(rows.num_rows, np.bool_)
    starts[1:] = reduce(pc.or_, (pc.not_equal(rows[name][1:], rows[name][:-1]) for name in key)).to_numpy()
    return starts
