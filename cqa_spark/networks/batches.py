"""Batches of texts of similar lengths, which need little padding."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_NOISE = 8.0
"""Standard deviation of the noise on lengths: batches of similar lengths differ between epochs."""


def similar_lengths(lengths: NDArray[np.int64], size: int, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """The rows of each batch, in random order; every row is in a batch, and the last one is filled up with more rows.

    Batches of one size need one compilation of the training step.

    Args:
        lengths: length of each row's texts.
        size: rows of a batch; fewer only if there are fewer rows.
        random: generator for the order.
    """
    order = np.argsort(lengths + random.normal(0, _NOISE, len(lengths)), kind="stable")
    batches = -(-len(order) // size)
    filled = np.resize(order, batches * size) if len(order) > size else order
    for batch in random.permutation(batches):
        yield filled[batch * size : (batch + 1) * size]
