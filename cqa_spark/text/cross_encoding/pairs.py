"""Pairs of texts, and their batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

States = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs of encoded texts; several pairs may share a text.

    Attributes:
        first: states of the first text of each pair, shape (tokens, size).
        second: states of the second text of each pair.
    """

    first: Sequence[States]
    second: Sequence[States]

    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each pair."""
        return np.array(
            [len(first) + len(second) for first, second in zip(self.first, self.second, strict=True)], np.int64
        )

    def batch(self, pairs: Sequence[int], multiple: int = 1) -> dict[str, NDArray[Any]]:
        """The input of the upper layers.

        Args:
            pairs: numbers of the pairs.
            multiple: the number of tokens, with padding, is a multiple of this.
        """
        chosen = [(self.first[number], self.second[number]) for number in pairs]
        most = max(len(first) + len(second) for first, second in chosen)
        tokens = -(-most // multiple) * multiple
        states = np.zeros((len(chosen), tokens, chosen[0][0].shape[1]), dtype=np.float32)
        is_second = np.zeros((len(chosen), tokens, 1), dtype=np.float32)
        mask = np.zeros((len(chosen), tokens), dtype=np.int64)
        for row, (first, second) in enumerate(chosen):
            end = len(first) + len(second)
            states[row, :end] = np.concatenate([first, second])
            is_second[row, len(first) : end], mask[row, :end] = 1.0, 1
        return {"states": states, "is_second": is_second, "attention_mask": mask}
