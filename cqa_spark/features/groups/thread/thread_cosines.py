"""Cosines between the turns of a thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


def apart(vectors: csr_matrix, threads: Indices) -> csr_matrix:
    """The vectors of the turns of several threads, in a space in which each thread has dimensions of its own.

    Args:
        vectors: one row of length 1 per turn, and one of zeros where a turn has no terms.
        threads: number of the thread of each turn.
    """
    from scipy.sparse import csr_matrix

    terms = vectors.shape[1]
    of_threads = np.repeat(threads, np.diff(vectors.indptr)) * terms + vectors.indices
    dimensions, columns = np.unique(of_threads, return_inverse=True)
    return csr_matrix((vectors.data, columns, vectors.indptr), shape=(len(threads), max(1, len(dimensions))))


def thread_cosines(vectors: csr_matrix, sizes: Iterable[int]) -> Iterator[Vector]:
    """The cosines between the turns of each thread.

    The cosine is 0 to and from a turn without terms; that of a turn to itself is like that to others.

    Args:
        vectors: what ``apart`` gave, one thread after the other.
        sizes: number of turns of each thread.
    """
    cosines = (vectors @ vectors.T).tocsr()
    start = 0
    for size in sizes:
        ends = cosines.indptr[start : start + size + 1]
        rows, found = np.repeat(np.arange(size), np.diff(ends)), slice(ends[0], ends[-1])
        similar = np.zeros((size, size))
        similar[rows, cosines.indices[found] - start] = cosines.data[found]
        yield similar
        start += size


def cosine_to_sum(similar: Vector, members: NDArray[np.bool_]) -> Vector:
    """The cosine of each turn to the sum of the unit vectors of some turns, itself left out.

    It needs no vectors: for a sum S of members, the products c.S and S.S are sums of cosines.

    Args:
        similar: the cosine of each turn to each other.
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


def new_shares(vectors: csr_matrix) -> Vector:
    """The share of each turn's terms that no earlier turn of the thread has; 0 for a turn without terms.

    Args:
        vectors: what ``apart`` gave.
    """
    terms_of = np.diff(vectors.indptr)
    turns = np.repeat(np.arange(len(terms_of)), terms_of)
    _, first = np.unique(vectors.indices, return_index=True)
    return np.bincount(turns[first], minlength=len(terms_of)) / np.maximum(1, terms_of)


def relative_ranks(values: Vector) -> Vector:
    """The place of each value, highest first, equal values sharing the better place, over the number of values.

    Values that differ by no more than rounding errors are equal.
    """
    rounded = np.round(values, 9)
    return (1 + np.sum(rounded > rounded[:, None], axis=1)) / max(1, len(values))
