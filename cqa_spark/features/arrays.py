"""Columns of Arrow tables as NumPy arrays, and look-ups by index.

Feature groups work on indices: a row of one table refers to a row of another by its position, or by ``ABSENT``.
"""

from collections.abc import Hashable, Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Reals = NDArray[np.float64]
Vectors = NDArray[np.float32]

ABSENT = -1
"""The index of a missing row: arrays with a last row for missing values can be indexed by it."""

# Arrow columns to arrays.


def doubles(numbers: pa.ChunkedArray) -> Reals:
    """Numbers as doubles; NaN for nulls."""
    return np.asarray(pc.cast(numbers, pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def counts(numbers: pa.ChunkedArray) -> Reals:
    """Counts as doubles; 0 for nulls."""
    return doubles(numbers.fill_null(0))


def seconds(timestamps: pa.ChunkedArray) -> Reals:
    """Timestamps in seconds since 1970; NaN for nulls."""
    return doubles(pc.cast(timestamps, pa.timestamp("us", "UTC")).cast(pa.int64())) / 1e6


def filled(values: Iterable[float | None]) -> Reals:
    """Numbers as an array, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def fields(structs: pa.ChunkedArray) -> dict[str, pa.ChunkedArray]:
    """The fields of a struct column as columns; null where the struct is null."""
    return dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))


def items(lists: pa.ChunkedArray) -> tuple[Indices, dict[str, pa.ChunkedArray]]:
    """Flatten lists of structs: the index of each struct's list, and the fields as columns."""
    combined = lists.combine_chunks()
    return pc.list_parent_indices(combined).to_numpy(), fields(pa.chunked_array([pc.list_flatten(combined)]))


def codes(*columns: pa.ChunkedArray) -> list[Indices]:
    """Encode values as integers, with one code per distinct value across all columns; ``ABSENT`` for nulls."""
    values = pa.chunked_array([chunk for column in columns for chunk in column.chunks], type=columns[0].type)
    numbers = values.combine_chunks().dictionary_encode().indices.fill_null(ABSENT).to_numpy().astype(np.int64)
    return np.split(numbers, np.cumsum([len(column) for column in columns])[:-1])


# Look-ups by index and by key.


def values_at(indices: Indices, values: ArrayLike) -> Reals:
    """The values at the given indices; NaN where an index is ``ABSENT``."""
    return np.append(np.asarray(values, dtype=np.float64), np.nan)[indices]


def scattered(values: ArrayLike, indices: Indices, size: int) -> Reals:
    """An array of a size with the values at the given indices, and NaN elsewhere."""
    scattered_values = np.full(size, np.nan)
    scattered_values[indices] = values
    return scattered_values


def indices_of(wanted: Iterable[Hashable], keys: Iterable[Hashable]) -> Indices:
    """The index of each wanted key among the keys, the last of equal ones; ``ABSENT`` for none."""
    index = {key: number for number, key in enumerate(keys)}
    return np.array([index.get(key, ABSENT) for key in wanted], dtype=np.int64)


def matches(keys: Indices, others: Indices) -> tuple[Indices, Indices]:
    """The indices of equal keys in two arrays, as in an inner join.

    Returns:
        Indices into ``keys``, in ascending order, and indices into ``others``.
    """
    order = np.argsort(others, kind="stable")
    ordered = others[order]
    # The matches of key i are numbers[i] adjacent items of ``ordered``, from first[i] on.
    first = np.searchsorted(ordered, keys, side="left")
    numbers = np.searchsorted(ordered, keys, side="right") - first
    # Each key once per match, and the number of the match among those of its key: 0, 1, 2, 0, 0, 1 ...
    key = np.repeat(np.arange(len(keys)), numbers)
    number = np.arange(len(key)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    return key, order[first[key] + number]


def share(part: Reals, whole: Reals) -> Reals:
    """Quotient of a part and a whole; 0 / 0 is 0."""
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
