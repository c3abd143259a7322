"""Losses of linear rankers: functions of the linear values and the targets of whole queries."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

LossName = Literal["logistic", "hinge", "squared", "choice"]
Floats = NDArray[np.float64]
Starts = NDArray[np.intp]
Loss = Callable[[Floats, Floats, Starts], tuple[Floats, Floats]]
"""Maps linear values, targets, and the index of the first row of each query, to losses (which only add up to that of a
query if the loss compares candidates) and to the derivatives of their sum with respect to the linear values."""


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
    apart = values - targets
    return apart * apart / 2, apart


def choice(values: Floats, targets: Floats, starts: Starts) -> tuple[Floats, Floats]:
    """Negative log-likelihood of the candidate that was chosen among those of its query.

    The probability of a candidate is the softmax of the linear values. Targets are weights of choices: 1 for the chosen
    candidate and 0 for the others, or any share of a vote for each; a query whose targets are all 0 has no loss.

    Source:
        McFadden 1974, Conditional Logit Analysis of Qualitative Choice Behavior; as a loss for rankings, the top-one
        probability of Cao et al. 2007, Learning to Rank: From Pairwise Approach to Listwise Approach, ICML.
    """
    sizes = np.diff(starts, append=len(values))
    high = np.repeat(np.maximum.reduceat(values, starts), sizes)
    normaliser = high + np.log(np.repeat(np.add.reduceat(np.exp(values - high), starts), sizes))
    weight = np.repeat(np.add.reduceat(targets, starts), sizes)
    return targets * (normaliser - values), weight * np.exp(values - normaliser) - targets


LOSSES: dict[LossName, Loss] = {"logistic": logistic, "hinge": hinge, "squared": squared, "choice": choice}
