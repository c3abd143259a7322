"""Which order of answers a night serves in a band of age: the system's, or a simple order, fixed beforehand."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

_CONFIDENCE = 0.95
AGREEING_NIGHTS = 3
"""Number of successive nights that must agree before another order is served."""


class Served(StrEnum):
    """What is served in a band of age."""

    SYSTEM = "system"
    SIMPLE = "simple order"


class Difference(NamedTuple):
    """The difference of P@1 between the system and the simple order on some nights, with its standard error by thread.

    The error is infinite if the nights have a single thread.
    """

    value: float
    error: float


class Choice(NamedTuple):
    """The order of a band of age.

    Attributes:
        served: what is served tonight.
        verdict: what this night's figures speak for.
        agreeing: number of successive nights, this one the last, whose figures speak for the same.
        difference: the pooled difference; its error is infinite without any evidence.
        low: lower bound of its 95 % interval.
        high: upper bound.
    """

    served: Served
    verdict: Served
    agreeing: int
    difference: Difference
    low: float
    high: float


def choose(evidence: Iterable[Difference], before: Choice | None) -> Choice:
    """Choose the order of a band of age.

    The night speaks for the simple order if the interval of the pooled difference is below 0, else for the system. The
    first night serves what it speaks for. A later night serves what the night before served, unless
    ``AGREEING_NIGHTS`` successive nights, itself the last, speak for the other one.

    Args:
        evidence: the difference on the site's nights, and in the table of the shipped model.
        before: the choice of the night before in this band; None for the first night.
    """
    pooled = pool(evidence)
    wide = float(ndtri((1 + _CONFIDENCE) / 2)) * pooled.error
    low, high = pooled.value - wide, pooled.value + wide
    verdict = Served.SIMPLE if high < 0 else Served.SYSTEM
    agreeing = before.agreeing + 1 if before is not None and before.verdict is verdict else 1
    served = verdict if before is None or agreeing >= AGREEING_NIGHTS else before.served
    return Choice(served, verdict, agreeing, pooled, low, high)


def pool(evidence: Iterable[Difference]) -> Difference:
    """The mean of differences, weighted by the inverse of their variances.

    A difference without an error says that both orders agreed on all its nights: it is no evidence, as is one with an
    infinite error.

    Source:
        The fixed-effect estimate of meta-analysis (Borenstein et al. 2009, Introduction to Meta-Analysis, chapter 11).
    """
    usable = [(value, error) for value, error in evidence if 0 < error < np.inf]
    if not usable:
        return Difference(0.0, np.inf)
    values, errors = np.array(usable).T
    weights = 1 / errors**2
    return Difference(float((values * weights).sum() / weights.sum()), float(1 / np.sqrt(weights.sum())))
