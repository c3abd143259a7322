"""Cuts a stream of sorted rows where a key changes, so that rows of one key are met together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

ROWS_AT_A_TIME = 50_000
"""Rows that are handed on at once, unless one key has more."""


def whole_groups(batches: Iterable[pa.RecordBatch], *keys: str) -> Iterator[pa.Table]:
    """Tables that hold all rows of the keys they hold.

    Args:
        batches: rows in order of the keys.
        keys: columns of whole numbers.
    """
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        end = _start_of_last(batch, keys)
        if end and rows + end >= ROWS_AT_A_TIME:
            yield pa.Table.from_batches([*waiting, batch.slice(0, end)]).combine_chunks()
            waiting, rows, batch = [], 0, batch.slice(end)
        waiting.append(batch)
        rows += batch.num_rows
    if rows:
        yield pa.Table.from_batches(waiting).combine_chunks()


def _start_of_last(batch: pa.RecordBatch, keys: Iterable[str]) -> int:
    """Where the last key of a batch starts, that is where another one ends; 0 if there is only one."""
    values = [batch.column(name).to_numpy() for name in keys]
    others = np.flatnonzero(np.logical_or.reduce([value != value[-1:] for value in values]))
    return int(others[-1]) + 1 if len(others) else 0
