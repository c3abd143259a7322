"""The training rows of one task: values in a file or in memory, everything else in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.process.disk_failures import scratch_folders

TARGET, RELEVANT, QUERY_HASH, BUCKET = ROW = "target", "relevant", "query", "bucket"
"""The columns of a task's rows before the features; target and ``relevant`` are null without a label."""

MOST_IN_MEMORY = 256 << 20
"""Bytes of values above which they are written to a file. The page cache keeps as much of the file as fits. Unlike
process memory, it does not count towards an executor's memory limit."""


@dataclass(frozen=True)
class TaskRows:
    """Labelled examples of some buckets; the examples of a query are adjacent and in one bucket.

    Attributes:
        targets: values to learn; shape (rows,).
        relevant: whether each example is relevant; shape (rows,).
        queries: hash of the query of each example; shape (rows,).
        buckets: bucket of each example; shape (rows,).
        features: number of features.
        dtype: type of the values.
        unlabelled: number of excluded examples without label.
        bad: whether a feature is null, NaN or infinite in any row; shape (features,).
    """

    targets: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    queries: NDArray[np.int64]
    buckets: NDArray[np.int32]
    features: int
    dtype: np.dtype[np.floating[Any]]
    unlabelled: int
    bad: NDArray[np.bool_]
    _values: IO[bytes]

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def query_starts(self) -> NDArray[np.int64]:
        """The index of the first row of each query."""
        return np.flatnonzero(np.diff(self.queries, prepend=~self.queries[:1]))

    def values(self, start: int, end: int) -> NDArray[np.floating[Any]]:
        """The features of a range of rows.

        Args:
            start: index of the first row.
            end: index after the last row.

        Returns:
            Shape (end - start, features).
        """
        row = self.features * self.dtype.itemsize
        self._values.seek(start * row)
        read = self._values.read((end - start) * row)
        return np.frombuffer(read, dtype=self.dtype).reshape(end - start, self.features)

    def close(self) -> None:
        """Release the values."""
        self._values.close()


def read_rows(batches: Iterable[pa.RecordBatch], features: int, dtype: np.dtype[np.floating[Any]]) -> TaskRows:
    """Read the rows of a task.

    Args:
        batches: rows with the columns ``ROW``, then the features.
        features: number of features.
        dtype: type of the values.
    """
    values = SpooledTemporaryFile(MOST_IN_MEMORY, dir=scratch_folders(None)[0])  # noqa: SIM115  closed with the rows
    labelled: list[pa.RecordBatch] = []
    bad, unlabelled = np.zeros(features, dtype=bool), 0
    for batch in batches:
        kept = batch.filter(pc.and_(pc.is_valid(batch[TARGET]), pc.is_valid(batch[RELEVANT])))
        unlabelled += batch.num_rows - kept.num_rows
        block = _matrix(kept, features, dtype)
        bad |= ~np.isfinite(block).all(axis=0)
        values.write(block.tobytes())
        labelled.append(kept.select(ROW))
    return TaskRows(
        targets=_column(labelled, TARGET, np.float64),
        relevant=_column(labelled, RELEVANT, np.bool_),
        queries=_column(labelled, QUERY_HASH, np.int64),
        buckets=_column(labelled, BUCKET, np.int32),
        features=features,
        dtype=dtype,
        unlabelled=unlabelled,
        bad=bad,
        _values=values,
    )


def chunks(start: int, end: int, rows: int) -> Iterator[tuple[int, int]]:
    """Split a range into chunks of a number of rows; the last one may be shorter."""
    for first in range(start, end, rows):
        yield first, min(first + rows, end)


def _matrix(batch: pa.RecordBatch, features: int, dtype: np.dtype[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    found = np.empty((batch.num_rows, features), dtype)
    for place, column in enumerate(batch.columns[len(ROW) :]):
        found[:, place] = column.to_numpy(zero_copy_only=False)  # null becomes NaN
    return found


def _column(batches: Sequence[pa.RecordBatch], name: str, dtype: type[np.generic]) -> NDArray[Any]:
    parts = [batch[name].to_numpy(zero_copy_only=False) for batch in batches]
    return np.concatenate([np.empty(0, dtype), *parts]).astype(dtype, copy=False)
