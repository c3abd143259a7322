"""Expected measures of a random order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import factorial, fsum
from random import Random

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery

DRAWS = 500
"""Maximum number of orders; the mean of a measure over several hundred queries then varies by 0.1 points."""


def expected_components(measure: Measure, query: RankedQuery, seed: str) -> tuple[float, ...]:
    """The mean of a measure's components over the orders of the candidates; exact if there are few orders.

    Args:
        measure: the measure.
        query: the query, whose ranked candidates are permuted; a random order has no scores.
        seed: seed of the sampled orders; the query's id.
    """
    orders = list(_orders([each._replace(score=0.0) for each in query.ranked], seed))
    found = [measure.components(RankedQuery(order, query.unranked)) for order in orders]
    return tuple(fsum(values) / len(orders) for values in zip(*found, strict=True))


def _orders(candidates: Sequence[Candidate], seed: str) -> Iterator[Sequence[Candidate]]:
    if factorial(len(candidates)) <= DRAWS:
        return permutations(candidates)
    drawn = Random(seed)
    return (drawn.sample(candidates, len(candidates)) for _ in range(DRAWS))
