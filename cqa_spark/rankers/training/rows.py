"""The training rows of one task, sorted: values in a file or in memory, everything else in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.scoring import VALUES
from cqa_spark.rankers.training.sorted_rows import sort_rows

TARGET, RELEVANT, QUERY_HASH, BUCKET = "target", "relevant", "query", "bucket"
CANDIDATE = (*QUERY, "candidate_id")
ROW = pa.schema(
    [
        *[(name, pa.string()) for name in CANDIDATE],
        (TARGET, pa.float64()),
        (RELEVANT, pa.bool_()),
        (QUERY_HASH, pa.int64()),
        (BUCKET, pa.int32()),
    ]
)
"""The columns of a task's rows before ``VALUES``, an array of features; target and label are null without a label."""


class Values(Protocol):
    """The features of sorted rows."""

    def read(self, start: int, end: int) -> NDArray[np.floating[Any]]:
        """Those of a range of rows, shape (end - start, features)."""

    def close(self) -> None:
        """Release them."""


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
    _values: Values

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
        return self._values.read(start, end)

    def leading(self, features: int) -> TaskRows:
        """The rows with the first features only."""
        leading = _LeadingValues(self._values, features)
        return replace(self, features=features, bad=self.bad[:features], _values=leading)

    def close(self) -> None:
        """Release the values."""
        self._values.close()


@dataclass(frozen=True)
class _LeadingValues:
    """The first features of rows."""

    rows: Values
    features: int

    def read(self, start: int, end: int) -> NDArray[np.floating[Any]]:
        """The values of a range of rows."""
        return self.rows.read(start, end)[:, : self.features]

    def close(self) -> None:
        """Release them."""
        self.rows.close()


def read_rows(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], features: int, dtype: np.dtype[np.floating[Any]]
) -> TaskRows:
    """Read the rows of a task and sort them.

    Args:
        batches: rows in any order with the columns ``ROW``, then ``VALUES``.
        keys: columns of ``ROW`` to sort by.
        features: number of features.
        dtype: type of the values.
    """
    bad, unlabelled = np.zeros(features, dtype=bool), 0

    def labelled() -> Iterator[tuple[pa.RecordBatch, NDArray[np.floating[Any]]]]:
        nonlocal bad, unlabelled
        for batch in batches:
            kept = batch.filter(pc.and_(pc.is_valid(batch[TARGET]), pc.is_valid(batch[RELEVANT])))
            unlabelled += batch.num_rows - kept.num_rows
            block = _matrix(kept, features, dtype)
            bad |= ~np.isfinite(block).all(axis=0)
            yield pa.RecordBatch.from_arrays(kept.columns[: len(ROW)], schema=ROW), block

    labels, values = sort_rows(labelled(), ROW, keys, features, dtype)
    return TaskRows(
        targets=labels[TARGET].to_numpy(),
        relevant=labels[RELEVANT].to_numpy(),
        queries=labels[QUERY_HASH].to_numpy(),
        buckets=labels[BUCKET].to_numpy(),
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
    values = pc.list_flatten(batch[VALUES]).to_numpy(zero_copy_only=False)  # null becomes NaN
    return values.reshape(batch.num_rows, features).astype(dtype, copy=False)
