"""Linear rankers: their base classes, their losses, and training by full-batch L-BFGS.

A linear ranker is a file with its parameters, its loss and its target: ``logistic_regression``, ``linear_svm``,
``ridge_regression`` and ``conditional_logit``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pyspark.sql import DataFrame
from scipy.special import expit, logit
from threadpoolctl import threadpool_limits

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import FeatureImportance, LearnedNumbers, NumbersModel
from cqa_spark.rankers.out_of_fold import with_share_threshold
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.training import TaskRows, TrainingParameters, train_in_tasks
from cqa_spark.rankers.training_group import TrainingGroup

LossName = Literal["logistic", "hinge", "squared", "choice"]
Scaling = Literal["deviation", "range"]
Floats = NDArray[np.float64]
Starts = NDArray[np.intp]
Loss = Callable[[Floats, Floats, Starts], tuple[Floats, Floats]]
"""Maps linear values, targets, and the index of the first row of each query, to losses and to the derivatives of their
sum with respect to the linear values; all of shape (rows,). The losses of the rows of a query add up to its loss."""

_ROWS_AT_A_TIME = 4096
"""Rows for which sums of features are computed at once."""
_CORRECTIONS = 10
"""Number of corrections in the L-BFGS approximation of the Hessian, as in Spark ML."""
_BOUNDS = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
"""Bounds of a coefficient, by sign."""


class LinearWeights(LearnedNumbers):
    """A linear function of standardised features.

    Attributes:
        mean: mean of each feature in the training data, or its lowest value; see ``LinearParameters.scaling``.
        std: standard deviation of each feature in the training data, or the width of its range.
        coefficients: coefficient of each scaled feature.
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
        return np.asarray(scaled * np.array(self.coefficients))

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value of the function for each row of ``values``."""
        # Not a matrix product, whose rounding may depend on the number of rows.
        return np.asarray(self.terms(values).sum(axis=1) + self.intercept)


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


class LinearParameters(TrainingParameters):
    """Parameters of every linear ranker."""

    l2: float = Field(0.001, ge=0, description="strength of the L2 penalty on the standardised coefficients")
    iterations: int = Field(100, ge=1, description="maximum number of iterations of L-BFGS")
    scaling: Scaling = Field(
        "deviation",
        description="how features are scaled before the penalty counts: to mean 0 and standard deviation 1, or to the "
        "range from 0 to 1, as before LIBLINEAR",
    )


P = TypeVar("P", bound=LinearParameters)


class LinearRanker(Ranker[P]):
    """A linear function of standardised features; rankers differ in their losses and targets.

    Attributes:
        loss: name of the loss.
        target: column to learn.
    """

    loss: ClassVar[LossName]
    target: ClassVar[str] = "relevant"
    model_type: ClassVar[type[LinearModel]] = LinearModel

    def fit(self, frame: DataFrame) -> LinearModel:
        """Fit like ``fit_scores``; without a threshold among the parameters, choose it on out-of-fold scores."""
        model = self.fit_scores(frame)
        has_threshold = model.description.threshold is not None
        return model if has_threshold else with_share_threshold(model, self, frame)

    def fit_scores(self, frame: DataFrame) -> LinearModel:
        """Learn the target from the features."""
        return self.learned(frame, self.target)

    def learned(self, frame: DataFrame, target: str) -> LinearModel:
        """Learn a column from the features of training examples."""
        trained = train_in_tasks(frame, self.learning, self.parameters, target=target)
        threshold = getattr(self.parameters, "threshold", None)  # not all linear rankers have this parameter
        description = self.describe(trained.features, threshold=threshold, training=trained.counts)
        return self.model_type(description, LinearWeights.model_validate_json(trained.learned))

    def learning(self, features: tuple[str, ...]) -> LinearLearning:
        """The function that each task runs.

        Args:
            features: names of the features, in order.
        """
        return LinearLearning(
            self.loss, self.parameters.l2, self.parameters.iterations, scaling=self.parameters.scaling
        )


class _Scale(NamedTuple):
    """The number of rows, and of each column mean, corrected standard deviation, and bounds.

    The columns are the features, then the target.
    """

    rows: float
    mean: Floats
    std: Floats
    lowest: Floats
    highest: Floats


@dataclass(frozen=True)
class LinearLearning:
    """Learns a linear function from the rows of all workers; worker 0 runs the optimizer.

    The objective is the mean loss plus ``l2 / 2`` times the squared length of the standardised coefficients, without
    the intercept, as in Spark ML; for the squared loss ``l2`` is divided by the targets' standard deviation, as there.

    Attributes:
        loss: name of the loss.
        l2: strength of the penalty.
        iterations: maximum number of iterations of L-BFGS.
        tolerance: relative decrease of the objective at which the optimizer stops.
        signs: for each feature, 1 or -1 if a higher value may only raise or lower the linear value, or 0; empty for no
            such limits.
        scaling: what the penalised coefficients are of: standardised features, or those of range 0 to 1.

    Source:
        Liu and Nocedal 1989, On the Limited Memory BFGS Method for Large Scale Optimization, Mathematical Programming
        45.
    """

    loss: LossName
    l2: float
    iterations: int
    tolerance: float = 1e-9
    signs: tuple[int, ...] = ()
    scaling: Scaling = "deviation"

    def __call__(self, rows: TaskRows, group: TrainingGroup) -> str | None:
        """The weights as JSON, in worker 0."""
        with threadpool_limits(1):  # several threads would change the order of sums
            scale = _scale(rows, group)
            # Worker 0 sends a message per evaluation: the coefficients, the intercept, and 1 to go on or 0 to stop.
            stop = np.zeros(len(scale.mean) + 1)
            if group.number == 0:
                learned = self._minimised(rows, scale, group)
                group.from_first(stop)
                return learned.model_dump_json()
            while (message := group.from_first(stop))[-1]:
                self._sums(rows, message[:-1], group)
            return None

    def _minimised(self, rows: TaskRows, scale: _Scale, group: TrainingGroup) -> LinearWeights:
        from scipy.optimize import minimize  # slow import, and every task that ranks loads this module

        mean, std = scale.mean[:-1], scale.std[:-1]
        if self.scaling == "range":
            mean, std = scale.lowest[:-1], scale.highest[:-1] - scale.lowest[:-1]
        factor = np.divide(1.0, std, out=np.zeros_like(std), where=std > 0)
        spread = scale.std[-1] * np.sqrt((scale.rows - 1) / scale.rows)
        l2 = self.l2 / spread if self.loss == "squared" and spread > 0 else self.l2

        def objective(weights: Floats) -> tuple[float, Floats]:
            # The optimizer sees coefficients of scaled features; rows stay as they are, so the function of raw features
            # is sent instead: coefficient / std for each feature, and an intercept that subtracts the means.
            coefficients, intercept = weights[:-1], weights[-1]
            raw = coefficients * factor
            message = np.concatenate([raw, [intercept - (raw * mean).sum(), 1.0]])
            loss, slope, *slopes_by_feature = self._sums(rows, group.from_first(message)[:-1], group)
            gradient = factor * (slopes_by_feature - mean * slope) / scale.rows + l2 * coefficients
            penalty = l2 / 2 * (coefficients * coefficients).sum()
            return loss / scale.rows + penalty, np.append(gradient, slope / scale.rows)

        start = np.zeros(len(mean) + 1)
        start[-1] = logit(scale.mean[-1]) if self.loss == "logistic" else 0.0
        options: dict[str, float] = {"maxcor": _CORRECTIONS, "maxiter": self.iterations, "maxfun": 20 * self.iterations}
        options |= {"ftol": self.tolerance, "gtol": self.tolerance}
        bounds = [_BOUNDS[sign] for sign in (*self.signs, 0)] if self.signs else None  # the intercept has no bounds
        solution = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
        return LinearWeights(
            mean=tuple(mean.tolist()),
            std=tuple(std.tolist()),
            coefficients=tuple(solution[:-1].tolist()),
            intercept=float(solution[-1]),
        )

    def _sums(self, rows: TaskRows, weights: Floats, group: TrainingGroup) -> Floats:
        """Sums over the rows of all workers: the loss, its derivatives, and the derivatives times each feature."""
        linear = rows.values @ weights[:-1] + weights[-1]
        losses, slopes = LOSSES[self.loss](linear, rows.targets, rows.query_starts)
        return group.total(np.concatenate([[losses.sum(), slopes.sum()], slopes @ rows.values]))


def _scale(rows: TaskRows, group: TrainingGroup) -> _Scale:
    """Compute the scale of the rows of all workers, in two passes over blocks of rows."""

    def blocks() -> Iterator[Floats]:
        for start in range(0, len(rows), _ROWS_AT_A_TIME):
            part = slice(start, start + _ROWS_AT_A_TIME)
            yield np.column_stack([rows.values[part], rows.targets[part]])

    zeros = np.zeros(rows.values.shape[1] + 1)  # one number per column: the features, then the target
    high, low, sums = zeros - np.inf, zeros + np.inf, zeros
    for block in blocks():
        sums = sums + block.sum(axis=0)
        high, low = np.maximum(high, block.max(axis=0)), np.minimum(low, block.min(axis=0))
    count, *totals = group.total(np.append(len(rows), sums))
    mean = np.array(totals) / count
    squares = zeros
    for block in blocks():
        squares = squares + np.square(block - mean).sum(axis=0)
    std = np.sqrt(group.total(squares) / max(count - 1, 1))
    # The minimum over all workers is the maximum of the negated values. A constant column has deviation 0, whatever
    # rounding makes of it.
    highest, negated_lowest = np.split(group.highest(np.append(high, -low)), 2)
    lowest = -negated_lowest
    return _Scale(count, mean, np.where(highest == lowest, 0.0, std), lowest, highest)


def logistic(values: Floats, targets: Floats, starts: Starts) -> tuple[Floats, Floats]:
    """Negative log-likelihood of targets 0 and 1."""
    return np.logaddexp(0, values) - targets * values, expit(values) - targets


def hinge(values: Floats, targets: Floats, starts: Starts) -> tuple[Floats, Floats]:
    """Hinge loss (Cortes and Vapnik 1995), with a subgradient; targets are 0 and 1."""
    signs = 2 * targets - 1
    short = 1 - signs * values
    return np.maximum(short, 0), np.where(short > 0, -signs, 0.0)


def squared(values: Floats, targets: Floats, starts: Starts) -> tuple[Floats, Floats]:
    """Half the squared difference."""
    difference = values - targets
    return difference * difference / 2, difference


def choice(values: Floats, targets: Floats, starts: Starts) -> tuple[Floats, Floats]:
    """Negative log-likelihood of the choice of a candidate from its query.

    The probability of a candidate is the softmax of the linear values. Targets are weights of choices: 1 for the chosen
    candidate and 0 for the others, or a share of a vote for each. A query whose targets are all 0 has no loss.

    Source:
        McFadden 1974, Conditional Logit Analysis of Qualitative Choice Behavior; as a loss for rankings, the top-one
        probability of Cao et al. 2007, Learning to Rank: From Pairwise Approach to Listwise Approach, ICML.
    """
    # Maximum, logarithm of the softmax's denominator, and sum of the targets of each query, repeated for its rows.
    sizes = np.diff(starts, append=len(values))
    high = np.repeat(np.maximum.reduceat(values, starts), sizes)  # subtracted, so that no power overflows
    normaliser = high + np.log(np.repeat(np.add.reduceat(np.exp(values - high), starts), sizes))
    weight = np.repeat(np.add.reduceat(targets, starts), sizes)
    return targets * (normaliser - values), weight * np.exp(values - normaliser) - targets


LOSSES: dict[LossName, Loss] = {"logistic": logistic, "hinge": hinge, "squared": squared, "choice": choice}
