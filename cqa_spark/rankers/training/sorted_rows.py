"""Sorts rows of numbers by external merge sort: sorted runs in a file, which are merged at each read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.process.disk_failures import scratch_folders

MOST_IN_MEMORY = 256 << 20
"""Bytes of rows above which they are written to a file. The page cache keeps as much of the file as fits. Unlike
process memory, it does not count towards an executor's memory limit."""

RUN_BYTES = 64 << 20
"""Bytes of rows that are sorted in memory. Each read gets a part of every run, so that few large runs are best."""

_ROWS_AT_A_TIME = 4096


class SortedRows:
    """Rows of numbers, in the order of their keys.

    Args:
        runs: sorted runs of rows, one after the other.
        places: index in ``runs`` of each row, in the order of the keys; shape (rows,).
        columns: number of columns.
        dtype: type of the numbers.
    """

    def __init__(
        self,
        runs: SpooledTemporaryFile[bytes],
        places: NDArray[np.int64],
        columns: int,
        dtype: np.dtype[np.floating[Any]],
    ) -> None:
        self._runs, self._places, self._columns, self._dtype = runs, places, columns, dtype

    def read(self, start: int, end: int) -> NDArray[np.floating[Any]]:
        """A range of rows.

        Args:
            start: index of the first row.
            end: index after the last row.

        Returns:
            Shape (end - start, columns).
        """
        places = self._places[start:end]
        by_place = np.argsort(places)
        starts = np.flatnonzero(np.diff(places[by_place], prepend=-2) != 1).tolist()
        read, merged = np.empty((2, len(places), self._columns), self._dtype)
        for first, last in pairwise([*starts, len(places)]):
            self._runs.seek(int(places[by_place[first]]) * read.strides[0])
            self._runs.readinto(read[first:last])
        merged[by_place] = read
        return merged

    def close(self) -> None:
        """Release the rows."""
        self._runs.close()


def sort_rows(
    parts: Iterable[tuple[pa.RecordBatch, NDArray[np.floating[Any]]]],
    schema: pa.Schema,
    keys: Sequence[str],
    columns: int,
    dtype: np.dtype[np.floating[Any]],
) -> tuple[pa.Table, SortedRows]:
    """Sort rows by their keys; strings by their bytes.

    Args:
        parts: labels of rows, the keys among them, and numbers; shape of the numbers (rows, columns).
        schema: columns of the labels.
        keys: labels to sort by.
        columns: number of columns of the numbers.
        dtype: type of the numbers.

    Returns:
        The labels and the numbers in the order of the keys.
    """
    by_keys = [(key, "ascending") for key in keys]
    runs = SpooledTemporaryFile(MOST_IN_MEMORY, dir=scratch_folders(None)[0])  # noqa: SIM115  closed with the rows
    labels = [schema.empty_table()]
    for run, numbers in _runs(parts):
        order = pc.sort_indices(run, by_keys).to_numpy()
        labels.append(run.take(order))
        for start in range(0, len(order), _ROWS_AT_A_TIME):
            runs.write(numbers[order[start : start + _ROWS_AT_A_TIME]].tobytes())
    found = pa.concat_tables(labels).combine_chunks()
    places = pc.sort_indices(found, by_keys).to_numpy().astype(np.int64, copy=False)
    return found.take(places), SortedRows(runs, places, columns, dtype)


def _runs(
    parts: Iterable[tuple[pa.RecordBatch, NDArray[np.floating[Any]]]],
) -> Iterator[tuple[pa.Table, NDArray[np.floating[Any]]]]:
    """Join successive parts to runs."""
    labels: list[pa.RecordBatch] = []
    numbers: list[NDArray[np.floating[Any]]] = []
    size = 0
    for batch, block in parts:
        labels.append(batch)
        numbers.append(block)
        size += block.nbytes
        if size >= RUN_BYTES:
            yield pa.Table.from_batches(labels), np.concatenate(numbers)
            labels, numbers, size = [], [], 0
    if labels:
        yield pa.Table.from_batches(labels), np.concatenate(numbers)
