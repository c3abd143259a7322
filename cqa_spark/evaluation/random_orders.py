"""Expected measures of a random order."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, permutations, repeat
from math import factorial, fsum
from random import Random

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.ranked_query import RankedQuery

DRAWS = 500
"""Maximum number of orders; the mean of a measure over several hundred queries then varies by 0.1 points."""


def expected_components(measures: Sequence[Measure], query: RankedQuery, seed: str) -> list[tuple[float, ...]]:
    """The mean of each measure's components over the orders of the candidates; exact if there are few orders.

    Orders that differ only by equal candidates have the same components, which are computed once.

    Args:
        measures: the measures; all use the same orders.
        query: the query, whose ranked candidates are permuted; a random order has no scores.
        seed: seed of the sampled orders; the query's id.

    Returns:
        The means of each measure; sums are rounded once, so they do not depend on the order of the terms.
    """
    candidates = [candidate._replace(score=0.0) for candidate in query.ranked]
    kinds = list(dict.fromkeys(candidates))
    orders = Counter(_orders([kinds.index(candidate) for candidate in candidates], seed))
    rankings = [RankedQuery([kinds[kind] for kind in order], query.unranked) for order in orders]
    number = orders.total()

    def mean(values: Sequence[float]) -> float:
        return fsum(chain.from_iterable(map(repeat, values, orders.values()))) / number

    return [tuple(map(mean, zip(*map(measure.components, rankings), strict=True))) for measure in measures]


def _orders(candidates: Sequence[int], seed: str) -> Iterable[tuple[int, ...]]:
    if factorial(len(candidates)) <= DRAWS:
        return permutations(candidates)
    drawn = Random(seed)
    return (tuple(drawn.sample(candidates, len(candidates))) for _ in range(DRAWS))
