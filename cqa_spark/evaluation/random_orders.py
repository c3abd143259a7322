"""Measures of a random order: what is expected of it, not what one draw happens to give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import factorial, fsum
from random import Random

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery

DRAWS = 500
"""Orders that are drawn where there are more; the mean of a measure over some hundred queries varies by 0.1 points."""


def expected_components(measure: Measure, query: RankedQuery, seed: str) -> tuple[float, ...]:
    """The mean of a measure's components over the orders of the candidates: exact where there are few orders.

    Args:
        measure: what is computed.
        query: its ranked candidates are put into other orders; an order at random has no scores.
        seed: decides on the orders that are drawn; the query's id.
    """
    orders = list(_orders([each._replace(score=0.0) for each in query.ranked], seed))
    found = [measure.components(RankedQuery(order, query.unranked)) for order in orders]
    return tuple(fsum(values) / len(orders) for values in zip(*found, strict=True))


def _orders(candidates: Sequence[Candidate], seed: str) -> Iterator[Sequence[Candidate]]:
    if factorial(len(candidates)) <= DRAWS:
        return permutations(candidates)
    drawn = Random(seed)
    return (drawn.sample(candidates, len(candidates)) for _ in range(DRAWS))
