"""Columns of Arrow tables as NumPy arrays, and places in them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Reals = NDArray[np.float64]
Vectors = NDArray[np.float32]

ABSENT = -1
"""The index of a row that is not there."""


def seconds(timestamps: pa.ChunkedArray) -> NDArray[np.float64]:
    """Timestamps in seconds since 1970; NaN for nulls."""
    return doubles(pc.cast(timestamps, pa.timestamp("us", "UTC")).cast(pa.int64())) / 1e6


def values_at(places: Indices, values: ArrayLike) -> Reals:
    """The values at some places; NaN where a place is ``ABSENT``."""
    return np.append(np.asarray(values, dtype=np.float64), np.nan)[places]


def matches(keys: Indices, others: Indices) -> tuple[Indices, Indices]:
    """The places of equal keys in two arrays, as in an inner join.

    Returns:
        Places in ``keys``, in ascending order, and places in ``others``.
    """
    order = np.argsort(others, kind="stable")
    ordered = others[order]
    first = np.searchsorted(ordered, keys, side="left")
    numbers = np.searchsorted(ordered, keys, side="right") - first
    place = np.repeat(np.arange(len(keys)), numbers)
    within = np.arange(len(place)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    return place, order[first[place] + within]


def codes(*columns: pa.ChunkedArray) -> list[Indices]:
    """Numbers in place of values, the same for equal values of all columns; ``ABSENT`` for nulls."""
    together = pa.chunked_array([chunk for column in columns for chunk in column.chunks], type=columns[0].type)
    numbers = together.combine_chunks().dictionary_encode().indices.fill_null(ABSENT).to_numpy().astype(np.int64)
    return np.split(numbers, np.cumsum([len(column) for column in columns])[:-1])


def filled(values: Iterable[float | None]) -> NDArray[np.float64]:
    """Numbers as an array, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def fields(structs: pa.ChunkedArray) -> dict[str, pa.ChunkedArray]:
    """The columns of structs, null where the struct is."""
    return dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))


def items(lists: pa.ChunkedArray) -> tuple[Indices, dict[str, pa.ChunkedArray]]:
    """The structs in lists: the index of the list that each is in, and their columns."""
    whole = lists.combine_chunks()
    return pc.list_parent_indices(whole).to_numpy(), fields(pa.chunked_array([pc.list_flatten(whole)]))


def counts(numbers: pa.ChunkedArray) -> Reals:
    """Counts as doubles; 0 for nulls."""
    return doubles(numbers.fill_null(0))


def doubles(numbers: pa.ChunkedArray) -> Reals:
    """Numbers as doubles; NaN for nulls."""
    return np.asarray(pc.cast(numbers, pa.float64(), safe=False).to_numpy(), dtype=np.float64)
