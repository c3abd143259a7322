"""Splits a stream of sorted rows at key changes, so that all rows of a key are in one table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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


def _start_of_last(batch: pa.RecordBatch, keys: Sequence[str]) -> int:
    """The index at which the last key of a batch starts, or without keys its end; 0 if there is only one key."""
    if not batch.num_rows or not keys:
        return batch.num_rows
    differ = [pc.not_equal(batch.column(name), batch.column(name)[-1]) for name in keys]
    others = np.flatnonzero(reduce(pc.or_, differ))
    return int(others[-1]) + 1 if len(others) else 0
