"""Fits linear functions of standardised features by full-batch L-BFGS, with sums per bucket.

Task 0 runs the optimizer. For each evaluation it sends the coefficients to all tasks. They return a loss and a gradient
for each of their buckets, which task 0 sums in the order of the buckets. The result is therefore identical for any
number of tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logit
from threadpoolctl import threadpool_limits

from cqa_spark.rankers.linear_model import LinearWeights
from cqa_spark.rankers.training.group import TrainingGroup
from cqa_spark.rankers.training.losses import LOSSES, LossName
from cqa_spark.rankers.training.moments import ColumnMoments, merged
from cqa_spark.rankers.training.rows import TaskRows

ROWS_AT_A_TIME = 4096
_KEPT_BYTES = 256 << 20
_MEMORY = 10
"""Number of corrections in the L-BFGS approximation of the Hessian, as in Spark ML."""


@dataclass(frozen=True)
class LinearLearning:
    """Learns a linear function in the tasks of a group.

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
        """The weights as JSON, in task 0."""
        with threadpool_limits(1):  # several threads would change the order of sums
            buckets = Buckets(rows)
            moments = _gather_moments(buckets, group)
            if group.number > 0:
                _serve(buckets, self.loss, group)
                return None
            return self._minimised(buckets, moments, group).model_dump_json()

    def _minimised(self, buckets: Buckets, moments: ColumnMoments, group: TrainingGroup) -> LinearWeights:
        count, mean, std = moments.rows, moments.mean[:-1], moments.std[:-1]
        target_mean, target_std = float(moments.mean[-1]), float(np.sqrt(moments.squares[-1] / count))
        scale = np.divide(1.0, std, out=np.zeros_like(std), where=std > 0)
        l2 = self.l2 / target_std if self.loss == "squared" and target_std > 0 else self.l2

        def objective(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            coefficients, intercept = weights[:-1], weights[-1]
            unscaled = coefficients * scale
            sums = _evaluate(buckets, self.loss, np.append(unscaled, intercept - (unscaled * mean).sum()), group)
            loss, slope, by_value = sums[0], sums[1], sums[2:]
            gradient = scale * (by_value - mean * slope) / count + l2 * coefficients
            penalty = l2 / 2 * (coefficients * coefficients).sum()
            return loss / count + penalty, np.append(gradient, slope / count)

        start = np.zeros(len(mean) + 1)
        start[-1] = logit(target_mean) if self.loss == "logistic" else 0.0
        options: dict[str, float] = {"maxcor": _MEMORY, "maxiter": self.iterations, "maxfun": 20 * self.iterations}
        options |= {"ftol": self.tolerance, "gtol": self.tolerance}
        bounds = [_BOUNDS[sign] for sign in (*self.signs, 0)] if self.signs else None
        found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        group.gather(_STOP)
        return LinearWeights(
            mean=tuple(mean.tolist()),
            std=tuple(std.tolist()),
            coefficients=tuple(found.x[:-1].tolist()),
            intercept=float(found.x[-1]),
        )


_STOP = b""
_BOUNDS = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
"""Bounds of a coefficient, by sign."""


class Buckets:
    """The rows of a task, sorted by bucket, in chunks of whole queries, which do not depend on other buckets."""

    def __init__(self, rows: TaskRows) -> None:
        self.rows = rows
        self.queries = rows.query_starts
        starts = np.flatnonzero(np.diff(rows.buckets, prepend=-1))
        ends = np.append(starts[1:], len(rows)) if len(starts) else starts
        self.ranges = list(zip(starts.tolist(), ends.tolist(), strict=True))
        fits = len(rows) * rows.features * 8 <= _KEPT_BYTES
        self._kept = {place: self._read(*place) for place in self._places()} if fits else {}

    def chunks_of(self, bucket: int) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]]:
        """Values, as 64-bit floats, targets and starts of queries of the task's bucket with this index."""
        for first, end in self._chunks(*self.ranges[bucket]):
            kept = self._kept.get((first, end))
            queries = self.queries[slice(*np.searchsorted(self.queries, (first, end)))]
            yield (self._read(first, end) if kept is None else kept), self.rows.targets[first:end], queries - first

    def _places(self) -> Iterator[tuple[int, int]]:
        for range_ in self.ranges:
            yield from self._chunks(*range_)

    def _chunks(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Split a range into whole queries: ``ROWS_AT_A_TIME`` rows at most, or a single query."""
        ends = np.append(self.queries[slice(*np.searchsorted(self.queries, (start + 1, end)))], end)
        while start < end:
            fitting, following = np.searchsorted(ends, (start + ROWS_AT_A_TIME, start), side="right")
            stop = int(ends[max(fitting - 1, following)])
            yield start, stop
            start = stop

    def _read(self, start: int, end: int) -> NDArray[np.float64]:
        return self.rows.values(start, end).astype(np.float64)


def _evaluate(
    buckets: Buckets, loss: LossName, weights: NDArray[np.float64], group: TrainingGroup
) -> NDArray[np.float64]:
    """Sums over all rows: the loss, its derivatives, and the derivatives times the features; called by task 0."""
    group.gather(weights.tobytes())
    return _added_up(group.gather(_sums(buckets, loss, weights).tobytes()), len(weights) + 1)


def _serve(buckets: Buckets, loss: LossName, group: TrainingGroup) -> None:
    """Send sums to task 0 until the optimizer stops."""
    while (message := group.gather(_STOP)[0]) != _STOP:
        group.gather(_sums(buckets, loss, np.frombuffer(message)).tobytes())


def _sums(buckets: Buckets, loss: LossName, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of each bucket of the task, one row per bucket."""
    found = np.zeros((len(buckets.ranges), len(weights) + 1))
    for bucket, sums in enumerate(found):
        for values, targets, queries in buckets.chunks_of(bucket):
            losses, slopes = LOSSES[loss](values @ weights[:-1] + weights[-1], targets, queries)
            sums += np.concatenate([[losses.sum(), slopes.sum()], slopes @ values])
    return found


def _added_up(messages: list[bytes], width: int) -> NDArray[np.float64]:
    total = np.zeros(width)
    for row in np.frombuffer(b"".join(messages)).reshape(-1, width):
        total += row
    return total


def _gather_moments(buckets: Buckets, group: TrainingGroup) -> ColumnMoments:
    """The moments of the features and, in the last column, the target."""
    columns = buckets.rows.features + 1
    own = [
        merged(
            (ColumnMoments.of(np.column_stack(chunk[:2])) for chunk in buckets.chunks_of(bucket)), columns
        ).to_array()
        for bucket in range(len(buckets.ranges))
    ]
    numbers = np.frombuffer(b"".join(group.gather(np.array(own).tobytes()))).reshape(-1, 5, columns)
    return merged(map(ColumnMoments.from_array, numbers), columns)
