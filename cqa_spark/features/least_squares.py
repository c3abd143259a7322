"""Regressions by least squares: one on all folds, and one on the complement of each fold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from cqa_spark.features.arrays import Reals
from cqa_spark.features.training_data import Fitted


@dataclass(frozen=True)
class NormalEquations:
    """The normal equations of a least-squares problem; additive over rows.

    Attributes:
        squares: sums of products of two terms, shape (terms, terms).
        products: sums of products of a term and the value, shape (terms,).
        rows: number of rows.
    """

    squares: Reals | float = 0.0
    products: Reals | float = 0.0
    rows: int = 0

    @classmethod
    def of(cls, terms: Reals, values: Reals) -> Self:
        """The equations of rows.

        Args:
            terms: shape (rows, terms).
            values: shape (rows,).
        """
        return cls(terms.T @ terms, terms.T @ values, len(values))

    def __add__(self, other: Self) -> "NormalEquations":
        return NormalEquations(self.squares + other.squares, self.products + other.products, self.rows + other.rows)


def solve_by_fold(of_folds: Sequence[NormalEquations], solve: Callable[[NormalEquations], Reals]) -> Fitted[Reals]:
    """Solve the sum of the equations of all folds, and the sum without each fold."""

    def without(excluded: int) -> Reals:
        return solve(sum((fold for number, fold in enumerate(of_folds) if number != excluded), NormalEquations()))

    return Fitted.excluding(without, len(of_folds))
