"""Losses of linear rankers: functions of the linear value and the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

LossName = Literal["logistic", "hinge", "squared"]
Floats = NDArray[np.float64]
Loss = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Maps linear values and targets of rows to losses and their derivatives with respect to the linear values."""


def logistic(values: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Negative log-likelihood of targets 0 and 1."""
    return np.logaddexp(0, values) - targets * values, expit(values) - targets


def hinge(values: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Hinge loss (Cortes and Vapnik 1995), with a subgradient; targets are 0 and 1."""
    signs = 2 * targets - 1
    short = 1 - signs * values
    return np.maximum(short, 0), np.where(short > 0, -signs, 0.0)


def squared(values: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Half the squared difference."""
    apart = values - targets
    return apart * apart / 2, apart


LOSSES: dict[LossName, Loss] = {"logistic": logistic, "hinge": hinge, "squared": squared}
