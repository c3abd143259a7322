"""Fits linear functions of standardised features by full-batch L-BFGS, with sums over the rows of all workers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from threadpoolctl import threadpool_limits

from cqa_spark.rankers.linear_model import LinearWeights
from cqa_spark.rankers.training.group import TrainingGroup
from cqa_spark.rankers.training.losses import LOSSES, LossName
from cqa_spark.rankers.training.rows import TaskRows

_ROWS_AT_A_TIME = 4096
_CORRECTIONS = 10
"""Number of corrections in the L-BFGS approximation of the Hessian, as in Spark ML."""
_BOUNDS = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
"""Bounds of a coefficient, by sign."""


class _Scale(NamedTuple):
    """The number of rows, and mean and corrected standard deviation of each column: the features, then the target."""

    rows: float
    mean: NDArray[np.float64]
    std: NDArray[np.float64]


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

    Source:
        Liu and Nocedal 1989, On the Limited Memory BFGS Method for Large Scale Optimization, Mathematical Programming
        45.
    """

    loss: LossName
    l2: float
    iterations: int
    tolerance: float = 1e-9
    signs: tuple[int, ...] = ()

    def __call__(self, rows: TaskRows, group: TrainingGroup) -> str | None:
        """The weights as JSON, in worker 0."""
        with threadpool_limits(1):  # several threads would change the order of sums
            scale = _scale(rows, group)
            message = np.zeros(len(scale.mean) + 1)  # coefficients, intercept, and whether to go on
            if group.number == 0:
                learned = self._minimised(rows, scale, group)
                group.from_first(message)
                return learned.model_dump_json()
            while (received := group.from_first(message))[-1]:
                self._sums(rows, received[:-1], group)
            return None

    def _minimised(self, rows: TaskRows, scale: _Scale, group: TrainingGroup) -> LinearWeights:
        from scipy.optimize import minimize  # slow import, and every task that ranks loads this module

        mean, std = scale.mean[:-1], scale.std[:-1]
        factor = np.divide(1.0, std, out=np.zeros_like(std), where=std > 0)
        spread = scale.std[-1] * np.sqrt((scale.rows - 1) / scale.rows)
        l2 = self.l2 / spread if self.loss == "squared" and spread > 0 else self.l2

        def objective(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            coefficients, intercept = weights[:-1], weights[-1]
            unscaled = coefficients * factor
            message = np.concatenate([unscaled, [intercept - (unscaled * mean).sum(), 1.0]])
            loss, slope, *by_value = self._sums(rows, group.from_first(message)[:-1], group)
            gradient = factor * (by_value - mean * slope) / scale.rows + l2 * coefficients
            penalty = l2 / 2 * (coefficients * coefficients).sum()
            return loss / scale.rows + penalty, np.append(gradient, slope / scale.rows)

        start = np.zeros(len(mean) + 1)
        start[-1] = logit(scale.mean[-1]) if self.loss == "logistic" else 0.0
        options: dict[str, float] = {"maxcor": _CORRECTIONS, "maxiter": self.iterations, "maxfun": 20 * self.iterations}
        options |= {"ftol": self.tolerance, "gtol": self.tolerance}
        bounds = [_BOUNDS[sign] for sign in (*self.signs, 0)] if self.signs else None
        solution = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
        return LinearWeights(
            mean=tuple(mean.tolist()),
            std=tuple(std.tolist()),
            coefficients=tuple(solution[:-1].tolist()),
            intercept=float(solution[-1]),
        )

    def _sums(self, rows: TaskRows, weights: NDArray[np.float64], group: TrainingGroup) -> NDArray[np.float64]:
        """Sums over the rows of all workers: the loss, its derivatives, and the derivatives times the features."""
        linear = rows.values @ weights[:-1] + weights[-1]
        losses, slopes = LOSSES[self.loss](linear, rows.targets, rows.query_starts)
        return group.total(np.concatenate([[losses.sum(), slopes.sum()], slopes @ rows.values]))


def _scale(rows: TaskRows, group: TrainingGroup) -> _Scale:
    zeros = np.zeros(rows.values.shape[1] + 1)
    count, *sums = group.total(np.append(len(rows), sum((block.sum(axis=0) for block in _blocks(rows)), zeros)))
    mean = np.array(sums) / count
    squares = group.total(sum((np.square(block - mean).sum(axis=0) for block in _blocks(rows)), zeros))
    high, low = zeros - np.inf, zeros + np.inf
    for block in _blocks(rows):
        high, low = np.maximum(high, block.max(axis=0)), np.minimum(low, block.min(axis=0))
    constant = np.equal(*np.split(group.highest(np.append(high, -low)) * np.repeat([1, -1], len(zeros)), 2))
    std = np.sqrt(squares / max(count - 1, 1))
    return _Scale(count, mean, np.where(constant, 0.0, std))  # rounding gives a constant column a deviation


def _blocks(rows: TaskRows) -> Iterator[NDArray[np.float64]]:
    """Successive rows: the features, then the target."""
    for start in range(0, len(rows), _ROWS_AT_A_TIME):
        part = slice(start, start + _ROWS_AT_A_TIME)
        yield np.column_stack([rows.values[part], rows.targets[part]])
