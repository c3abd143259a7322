"""The training rows of one worker: values in a file, everything else in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.process.disk_failures import scratch_folders
from cqa_spark.rankers.scoring import VALUES

TARGET, RELEVANT, QUERY_HASH = "target", "relevant", "query"
_LABELS = pa.schema([(TARGET, pa.float64()), (RELEVANT, pa.bool_()), (QUERY_HASH, pa.int64())])


@dataclass(frozen=True)
class TaskRows:
    """The labelled examples of a worker; those of a query are adjacent.

    Attributes:
        values: features; shape (rows, features). A file in Spark's scratch folder, mapped into memory: the page cache
            keeps what fits, and does not count towards an executor's memory limit.
        targets: values to learn; shape (rows,).
        relevant: whether each example is relevant; shape (rows,).
        queries: hash of the query of each example; shape (rows,).
        unlabelled: number of excluded examples without label.
        bad: whether a feature is null, NaN or infinite in any row; shape (features,).
    """

    values: NDArray[np.floating[Any]]
    targets: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    queries: NDArray[np.int64]
    unlabelled: int
    bad: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def query_starts(self) -> NDArray[np.int64]:
        """The index of the first row of each query."""
        return np.flatnonzero(np.diff(self.queries, prepend=~self.queries[:1]))

    def leading(self, features: int) -> TaskRows:
        """The rows with the first features only."""
        return replace(self, values=self.values[:, :features], bad=self.bad[:features])


def read_rows(batches: Iterable[pa.RecordBatch], features: int, dtype: type[np.floating[Any]]) -> TaskRows:
    """Read the rows of a worker.

    Args:
        batches: rows, sorted by query, with the columns ``TARGET`` and ``RELEVANT``, both null without a label,
            ``QUERY_HASH``, and ``VALUES``, an array of the features.
        features: number of features.
        dtype: type of the values.
    """
    labels, bad, unlabelled = [_LABELS.empty_table()], np.zeros(features, dtype=bool), 0
    with TemporaryFile(dir=scratch_folders(None)[0]) as file:
        for batch in batches:
            labelled = batch.filter(pc.and_(pc.is_valid(batch[TARGET]), pc.is_valid(batch[RELEVANT])))
            unlabelled += batch.num_rows - labelled.num_rows
            values = pc.list_flatten(labelled[VALUES]).to_numpy(zero_copy_only=False)  # null becomes NaN
            block = values.reshape(labelled.num_rows, features).astype(dtype, copy=False)
            bad |= ~np.isfinite(block).all(axis=0)
            file.write(np.ascontiguousarray(block).data)
            labels.append(pa.Table.from_batches([labelled.select(_LABELS.names)]).cast(_LABELS))
        table = pa.concat_tables(labels)
        file.flush()  # a full disk is an error here; a mapped file would end the process
        shape = (len(table), features)
        stored = np.memmap(file, dtype, "r", shape=shape) if len(table) else np.empty(shape, dtype)
    return TaskRows(
        values=stored,
        targets=table[TARGET].to_numpy(),
        relevant=table[RELEVANT].to_numpy(),
        queries=table[QUERY_HASH].to_numpy(),
        unlabelled=unlabelled,
        bad=bad,
    )
