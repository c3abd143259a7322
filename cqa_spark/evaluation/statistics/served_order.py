"""Which order of answers a night serves in a band of age: the system's, or a simple order.

A simple order is served where the 95 % interval of the system's gain over it, by the site's own nights and by what
other sites let expect, is below 0 on three nights in a row.
"""

from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from cqa_spark.evaluation.statistics.clusters import CONFIDENCE, FEWEST

AGREEING_NIGHTS = 3
"""Number of successive nights that must agree before another order is served."""

SPREAD = 0.1
"""Least standard deviation of a difference between sites. Few sites often look more alike than they are: the estimate
is 0 for most bands of the sixteen sites of the shipped model, but as many as 10 points are compatible with them."""

_WIDE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Difference(NamedTuple):
    """The difference of P@1 between the system and a simple order, with its standard error.

    ``threads`` is the number of threads that it was measured on. The error is infinite where nothing is known.
    """

    value: float
    error: float
    threads: int = 0

    @property
    def low(self) -> float:
        """Lower bound of the 95 % interval."""
        return self.value - _WIDE * self.error

    @property
    def high(self) -> float:
        """Upper bound of the 95 % interval."""
        return self.value + _WIDE * self.error


UNKNOWN = Difference(0.0, np.inf)


class Evidence(NamedTuple):
    """What speaks for the system against a simple order.

    Attributes:
        own: the difference on the site's own nights; unknown below ``FEWEST`` threads.
        others: what other sites let expect.
        both: the two, weighted by the inverse of their variances.
    """

    own: Difference
    others: Difference
    both: Difference


class Choice(NamedTuple):
    """The order of a band of age.

    Attributes:
        served: name of the order that is served tonight.
        verdict: name of the order that this night's figures speak for.
        agreeing: number of successive nights, this one the last, whose figures speak for the same.
        rival: name of the best simple order.
        evidence: for the system against the rival.
    """

    served: str
    verdict: str
    agreeing: int
    rival: str
    evidence: Evidence


def choose(system: str, evidence: Mapping[str, Evidence], before: Choice | None) -> Choice:
    """Choose the order of a band of age.

    The night speaks for the best simple order if the interval of the system's difference from it is below 0, else for
    the system. The first night serves what it speaks for. A later night serves what the night before served, unless
    ``AGREEING_NIGHTS`` successive nights, itself the last, speak for the same other order.

    Args:
        system: name of the system.
        evidence: against each simple order, by name.
        before: the choice of the night before in this band; None for the first night.
    """
    rival = min(evidence, key=lambda order: (not evidence[order].both.high < 0, evidence[order].both.value))
    verdict = rival if evidence[rival].both.high < 0 else system
    agreeing = before.agreeing + 1 if before is not None and before.verdict == verdict else 1
    served = verdict if before is None or agreeing >= AGREEING_NIGHTS else before.served
    return Choice(served, verdict, agreeing, rival, evidence[rival])


def weigh(own: Difference, others: Iterable[Difference]) -> Evidence:
    """Combine a site's own nights with those of other sites.

    Args:
        own: the difference on the site's own nights.
        others: the difference on each of the other sites; the site itself is not among them.
    """
    own = own if own.threads >= FEWEST else Difference(own.value, np.inf, own.threads)
    expected = expect(others)
    known = [difference for difference in (own, expected) if difference.error < np.inf]
    weights = [1 / difference.error**2 for difference in known]
    total = sum(weights)
    if not known:
        return Evidence(own, expected, UNKNOWN)
    value = sum(weight * difference.value for weight, difference in zip(weights, known, strict=True)) / total
    return Evidence(own, expected, Difference(value, total**-0.5, own.threads))


def expect(sites: Iterable[Difference]) -> Difference:
    """The difference to expect on a further site, whose error holds that of the mean and the spread between sites.

    Source:
        The random-effects estimate of DerSimonian and Laird 1986, Controlled Clinical Trials 7, 177-188, and the
        prediction interval of Higgins, Thompson and Spiegelhalter 2009, Journal of the Royal Statistical Society A 172,
        section 4.
    """
    known = np.array([(site.value, site.error) for site in sites if site.error < np.inf]).reshape(-1, 2)
    if not len(known):
        return UNKNOWN
    values, variances = known[:, 0], known[:, 1] ** 2
    weights = 1 / variances
    fixed = (weights * values).sum() / weights.sum()
    excess = (weights * (values - fixed) ** 2).sum() - (len(values) - 1)
    scale = weights.sum() - (weights**2).sum() / weights.sum()
    between = max(SPREAD**2, excess / scale if scale > 0 else 0.0)
    weights = 1 / (variances + between)
    mean = float((weights * values).sum() / weights.sum())
    return Difference(mean, float(np.sqrt(1 / weights.sum() + between)))
