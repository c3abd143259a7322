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
    """Place the vectors of each thread in dimensions of their own, so that turns of different threads are orthogonal.

    Args:
        vectors: one row of unit length per turn; zeros if a turn has no terms.
        threads: number of the thread of each turn.
    """
    from scipy.sparse import csr_matrix

    terms = vectors.shape[1]
    of_threads = np.repeat(threads, np.diff(vectors.indptr)) * terms + vectors.indices
    dimensions, columns = np.unique(of_threads, return_inverse=True)
    return csr_matrix((vectors.data, columns, vectors.indptr), shape=(len(threads), max(1, len(dimensions))))


def thread_cosines(vectors: csr_matrix, sizes: Iterable[int]) -> Iterator[Vector]:
    """The cosines between the turns of each thread.

    Cosines with a turn without terms are 0, including its cosine with itself.

    Args:
        vectors: the result of ``apart``, one thread after the other.
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
    """The cosine of each turn to the sum of the unit vectors of the other members.

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
    """The share of each turn's terms that occur in no earlier turn of the thread; 0 for a turn without terms.

    Args:
        vectors: the result of ``apart``.
    """
    terms_of = np.diff(vectors.indptr)
    turns = np.repeat(np.arange(len(terms_of)), terms_of)
    _, first = np.unique(vectors.indices, return_index=True)
    return np.bincount(turns[first], minlength=len(terms_of)) / np.maximum(1, terms_of)


def relative_ranks(values: Vector) -> Vector:
    """The rank of each value, highest first, divided by the number of values; ties share the better rank.

    Values that differ only by rounding errors are ties.
    """
    rounded = np.round(values, 9)
    return (1 + np.sum(rounded > rounded[:, None], axis=1)) / max(1, len(values))
