"""Overlap of two texts whose terms have weights, such as idf."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple


class WeightedOverlap(NamedTuple):
    """Overlap of the distinct terms of two texts; symmetric.

    Attributes:
        jaccard: weight of the shared terms / weight of the terms of either text.
        dice: twice the weight of the shared terms / weights of both texts.
        shorter: weight of the shared terms / weight of the lighter text.
        heaviest_missing: weight of the heaviest term that occurs in only one text.
        more_missing: weight of the terms that occur in only one text, for the text with the larger weight.
        less_missing: the same for the other text.
    """

    jaccard: float
    dice: float
    shorter: float
    heaviest_missing: float
    more_missing: float
    less_missing: float


def compare_weighted(one: Collection[str], other: Collection[str], weight: Callable[[str], float]) -> WeightedOverlap:
    """Compare the terms of two texts; 0 / 0 is 0.

    The shares are the weighted word overlap of Šarić et al. (2012, TakeLab); missing terms count as in the penalties of
    Han et al. (2013, UMBC EBIQUITY-CORE).

    Args:
        one: terms of a text.
        other: terms of the other text.
        weight: weight of a term, not negative.
    """
    shared = _sum(set(one) & set(other), weight)
    only_one, only_other = set(one) - set(other), set(other) - set(one)
    less, more = sorted((_sum(only_one, weight), _sum(only_other, weight)))
    return WeightedOverlap(
        jaccard=_share(shared, shared + less + more),
        dice=_share(2 * shared, 2 * shared + less + more),
        shorter=_share(shared, shared + less),
        heaviest_missing=max(map(weight, only_one | only_other), default=0.0),
        more_missing=more,
        less_missing=less,
    )


def _sum(terms: Collection[str], weight: Callable[[str], float]) -> float:
    """Sum in sorted order, so that the last digit does not depend on the order of a set."""
    return sum(map(weight, sorted(terms)), start=0.0)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
