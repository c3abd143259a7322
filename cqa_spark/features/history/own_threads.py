"""The events of authors within one thread, which features about other threads exclude."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cqa_spark.features.author_batch import CONTRIBUTIONS, EventKind, Longs, starts_of_runs, sums_before


def with_own(rows: pa.Table, tag_marks: Sequence[str]) -> pa.Table:
    """Add each moment's contributions in its own thread, and copy the tag marks of answers to acceptances.

    Args:
        rows: all rows of authors in threads, in order of ``author``, ``thread``, ``time`` and ``kind``.
        tag_marks: columns with the groups' marks of question tags. All answers of a thread have the same marks, which
            are copied to its acceptances and moments.

    Returns:
        The rows with ``own``: a list with the sums of the ``CONTRIBUTIONS`` up to a moment; null for events.
    """
    author, thread, kind, count = (rows.column(name).to_numpy() for name in ("author", "thread", "kind", "count"))
    starts = starts_of_runs(author, thread)
    moments = np.flatnonzero(kind == EventKind.MOMENT)
    rows_of = np.flatnonzero(np.isin(kind, CONTRIBUTIONS))
    adds = count[rows_of, None] * (kind[rows_of, None] == np.array(CONTRIBUTIONS))
    own = sums_before(moments, starts[moments], rows_of, adds)
    for name in tag_marks:
        marks = _of_answers(rows.column(name).to_numpy(), kind, starts)
        rows = rows.set_column(rows.schema.get_field_index(name), name, pa.array(marks))
    return rows.append_column("own", _lists(own, moments, len(kind)))


def _of_answers(marks: Longs, kind: Longs, starts: Longs) -> Longs:
    """Copy the marks of answers to the acceptances and moments of the same thread."""
    first, run = np.unique(starts, return_inverse=True)
    noted = np.maximum.reduceat(np.where(kind == EventKind.ANSWERED, marks, 0), first)[run]
    return np.where(((kind == EventKind.ACCEPTED) & (marks != 0)) | (kind == EventKind.MOMENT), noted, marks)


def _lists(values: Longs, places: Longs, length: int) -> pa.ListArray:
    """Rows of values as lists at the given indices; null elsewhere."""
    sizes = np.zeros(length + 1, dtype=np.int32)
    sizes[places + 1] = values.shape[1]
    missing = np.ones(length, dtype=np.bool_)
    missing[places] = False
    return pa.ListArray.from_arrays(
        pa.array(np.cumsum(sizes, dtype=np.int32)), pa.array(values.reshape(-1)), mask=pa.array(missing)
    )
