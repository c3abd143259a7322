"""Means and standard deviations of features, merged bucket by bucket."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ColumnMoments:
    """Moments and ranges of columns.

    Attributes:
        rows: number of rows.
        mean: mean of each column; shape (columns,).
        squares: sum of the squared deviations from the mean; shape (columns,).
        low: minimum; shape (columns,).
        high: maximum; shape (columns,).
    """

    rows: int
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> ColumnMoments:
        """The moments of at least one row, of shape (rows, columns)."""
        mean = values.mean(axis=0)
        return cls(len(values), mean, np.square(values - mean).sum(axis=0), values.min(axis=0), values.max(axis=0))

    @classmethod
    def nothing(cls, columns: int) -> ColumnMoments:
        """The moments of zero rows."""
        zeros = np.zeros(columns)
        return cls(0, zeros, zeros, zeros + np.inf, zeros - np.inf)

    def merge(self, other: ColumnMoments) -> ColumnMoments:
        """The moments of the union of both groups of rows.

        Source:
            Chan, Golub and LeVeque 1983, Algorithms for Computing the Sample Variance, The American Statistician 37(3),
            equations 1.5.
        """
        if not self.rows or not other.rows:
            return self if self.rows else other
        rows, apart = self.rows + other.rows, other.mean - self.mean
        return ColumnMoments(
            rows,
            self.mean + apart * (other.rows / rows),
            self.squares + other.squares + np.square(apart) * (self.rows * other.rows / rows),
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )

    @property
    def std(self) -> NDArray[np.float64]:
        """Corrected standard deviation of each column; exactly 0 for constant columns."""
        found: NDArray[np.float64] = np.sqrt(self.squares / max(self.rows - 1, 1))
        return np.where(self.low == self.high, 0.0, found)

    def to_array(self) -> NDArray[np.float64]:
        """Serialise to an array of shape (5, columns)."""
        return np.stack([np.full_like(self.mean, self.rows), self.mean, self.squares, self.low, self.high])

    @classmethod
    def from_array(cls, numbers: NDArray[np.float64]) -> ColumnMoments:
        """Inverse of ``to_array``."""
        rows, mean, squares, low, high = numbers
        return cls(int(rows[0]), mean, squares, low, high)


def merged(parts: Iterable[ColumnMoments], columns: int) -> ColumnMoments:
    """The moments of all parts, merged in order."""
    found = ColumnMoments.nothing(columns)
    for part in parts:
        found = found.merge(part)
    return found
