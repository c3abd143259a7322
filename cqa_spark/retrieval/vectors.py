"""Embeddings as integers, whose products have exact sums."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Vectors = NDArray[np.int16]

SCALE = 10**4
"""Components have four decimal places; vectors hold them as integers in units of the last one."""


def as_vectors(lists: pa.Array) -> Vectors:
    """Vectors as integers.

    Args:
        lists: lists of components, all of one length; null where a text has no vector.

    Returns:
        Shape (texts, dimension); zeros where a text has no vector, and no columns where no text has one.
    """
    rows = np.flatnonzero(lists.is_valid().to_numpy(zero_copy_only=False))
    components = lists.drop_null().flatten().to_numpy(zero_copy_only=False)
    vectors = np.zeros((len(lists), len(components) // max(len(rows), 1)), np.int16)
    vectors[rows] = as_integers(components.reshape(len(rows), vectors.shape[1]))
    return vectors


def as_integers(components: NDArray[np.float32]) -> Vectors:
    """Components in units of the last decimal place."""
    return np.rint(components * SCALE).astype(np.int16)
