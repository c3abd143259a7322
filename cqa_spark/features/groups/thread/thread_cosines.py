"""Cosines between the turns of one thread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Vector = NDArray[np.float64]


def unit_vectors(terms: Sequence[Sequence[str]], weights: Sequence[Sequence[float]]) -> csr_matrix:
    """One row of length 1 per turn, and one of zeros where a turn has no terms.

    Args:
        terms: the distinct terms of each turn.
        weights: their weights, in the same order.
    """
    places: dict[str, int] = {}
    columns = [places.setdefault(term, len(places)) for turn in terms for term in turn]
    starts = np.cumsum([0, *map(len, terms)])
    lengths = [np.sqrt(np.sum(np.square(turn))) for turn in weights]
    values = [weight / length for turn, length in zip(weights, lengths, strict=True) for weight in turn]
    return csr_matrix((values, columns, starts), shape=(len(terms), max(1, len(places))))


def cosines(vectors: csr_matrix) -> Vector:
    """The cosine of each turn to each other; 0 to and from a turn without terms, and to itself as to others."""
    return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)


def cosine_to_sum(similar: Vector, members: NDArray[np.bool_]) -> Vector:
    """The cosine of each turn to the sum of the unit vectors of some turns, itself left out.

    It needs no vectors: for a sum S of members, the products c.S and S.S are sums of cosines.

    Args:
        similar: what ``cosines`` gave.
        members: which turns are in the sum.

    Returns:
        One value per turn; 0 where no other member has terms.
    """
    itself = np.diagonal(similar) * members
    to_sum = similar[:, members].sum(axis=1)
    length = similar[np.ix_(members, members)].sum()
    others = np.sqrt(np.maximum(0.0, length - 2 * to_sum * members + itself))
    own = np.sqrt(np.diagonal(similar))
    product = np.maximum(0.0, to_sum - itself)
    has_others = ((np.diagonal(similar) > 0) & members).sum() - ((np.diagonal(similar) > 0) & members) > 0
    safe = np.where(has_others & (own > 0), others * own, 1.0)
    return np.where(has_others & (own > 0), np.minimum(1.0, product / safe), 0.0)


def relative_ranks(values: Vector) -> Vector:
    """The place of each value, highest first, equal values sharing the better place, over the number of values."""
    return np.array([1 + np.sum(values > value) for value in values]) / max(1, len(values))
