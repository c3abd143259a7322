"""Calibration curves from a ranker's score to a probability, fitted by ``calibrated`` on out-of-fold scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator
from scipy.special import expit

from cqa_spark.rankers.linear_model import LinearWeights
from cqa_spark.rankers.model import LearnedNumbers
from cqa_spark.rankers.training.group import TrainingGroup
from cqa_spark.rankers.training.linear import LinearLearning
from cqa_spark.rankers.training.rows import TaskRows

_ORDER_WITHIN_A_STEP = 1e-6
_ITERATIONS = 100


class Curve(LearnedNumbers, ABC):
    """A curve that increases with the score."""

    @property
    def inputs(self) -> int:
        """The score alone."""
        return 1

    @classmethod
    @abstractmethod
    def learn(cls, rows: TaskRows) -> Self:
        """Fit the curve on examples whose only feature is a score."""

    @abstractmethod
    def heights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability at each score."""


class PlattCurve(Curve):
    """A logistic curve: a logistic regression on the score."""

    weights: LinearWeights

    @classmethod
    def learn(cls, rows: TaskRows) -> Self:
        """Fit a logistic regression without penalty."""
        learned = LinearLearning("logistic", l2=0.0, iterations=_ITERATIONS)(rows, TrainingGroup())
        assert learned is not None, "worker 0 returns what it learned"
        return cls(weights=LinearWeights.model_validate_json(learned))

    def heights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of the logistic regression."""
        return expit(self.weights.sums(scores.reshape(-1, 1)))


class IsotonicCurve(Curve):
    """An increasing step function.

    Attributes:
        boundaries: scores at which steps begin and end, ascending.
        predictions: probability at each boundary.
    """

    boundaries: tuple[float, ...]
    predictions: tuple[float, ...]

    @model_validator(mode="after")
    def _rise_together(self) -> IsotonicCurve:
        rises = all(list(each) == sorted(each) for each in (self.boundaries, self.predictions))
        if not rises or len(self.boundaries) != len(self.predictions):
            raise ValueError("boundaries and predictions must be ascending and of equal length")
        return self

    @classmethod
    def learn(cls, rows: TaskRows) -> Self:
        """Fit an isotonic regression."""
        from sklearn.isotonic import IsotonicRegression

        fitted = IsotonicRegression().fit(rows.values[:, 0], rows.targets)
        return cls(boundaries=fitted.X_thresholds_.tolist(), predictions=fitted.y_thresholds_.tolist())

    def heights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The height of the step, plus a tiny increment by score that keeps the order of candidates on one step."""
        steps = np.interp(scores, self.boundaries, self.predictions)
        squashed = 0.5 + np.arctan(scores) / np.pi
        found: NDArray[np.float64] = steps * (1 - _ORDER_WITHIN_A_STEP) + squashed * _ORDER_WITHIN_A_STEP
        return found
