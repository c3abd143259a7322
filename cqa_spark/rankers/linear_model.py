"""Base classes of linear rankers: linear functions of standardised features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import FeatureImportance, LearnedNumbers, NumbersModel


class LinearWeights(LearnedNumbers):
    """A linear function of standardised features.

    Attributes:
        mean: mean of each feature in the training data.
        std: standard deviation of each feature in the training data.
        coefficients: coefficient of each standardised feature.
        intercept: the intercept.
    """

    mean: tuple[float, ...]
    std: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float

    @model_validator(mode="after")
    def _have_one_length(self) -> LinearWeights:
        if not len(self.mean) == len(self.std) == len(self.coefficients):
            raise ValueError("mean, std and coefficients have different lengths")
        return self

    @property
    def inputs(self) -> int:
        """Number of features."""
        return len(self.coefficients)

    def terms(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The contribution of each feature: coefficient times standardised value.

        Args:
            values: shape (candidates, features). Constant features contribute 0, as in Spark ML.
        """
        spread = np.array(self.std)
        scaled = np.divide(values - np.array(self.mean), spread, out=np.zeros_like(values), where=spread > 0)
        found: NDArray[np.float64] = scaled * np.array(self.coefficients)
        return found

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value of the function for each row of ``values``."""
        # The rounding of a matrix product may depend on the number of rows.
        found: NDArray[np.float64] = self.terms(values).sum(axis=1) + self.intercept
        return found


@dataclass(frozen=True, eq=False)
class LinearModel(NumbersModel):
    """A linear function of standardised features; its value is the score."""

    learned_type = LinearWeights

    learned: LinearWeights
    explains = True

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the absolute standardised coefficients, which are comparable between features."""
        coefficients = self.learned.coefficients
        total = sum(abs(value) for value in coefficients) or 1.0
        return tuple(
            FeatureImportance(name, abs(value) / total, (value > 0) - (value < 0))
            for name, value in zip(self.description.features, coefficients, strict=True)
        )

    def contributions(self, candidates: Candidates) -> NDArray[np.float64]:
        """Coefficients times standardised values."""
        return self.learned.terms(candidates.of(self.description.features))

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The value of the linear function."""
        return self.learned.sums(candidates.of(self.description.features))
