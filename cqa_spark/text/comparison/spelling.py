"""Similarity of texts by the spelling of their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_SCALE, _POWER = 1.8, 5
_LEAST_ALIKE = 0.5
"""Words that are less alike are unrelated: the relation would be below 0.06. It keeps the matrix sparse; ours."""
_ROWS = 512
"""Words that are compared with all others at a time; bounds the memory."""


def spelling_relation(words: Sequence[str]) -> csr_matrix:
    """How words are related by their spelling: 1 for the same word, 1.8 times the fifth power of likeness for others.

    Args:
        words: distinct words, n of them.

    Returns:
        A sparse matrix of shape (n, n). The likeness is 1 - edits / characters of the longer word.

    Source:
        Charlet and Damnati 2017, SimBow at SemEval-2017 Task 3, the relation by Levenshtein's distance.
    """
    from scipy.sparse import csr_matrix, vstack

    rows = [csr_matrix((0, len(words)))]
    for start in range(0, len(words), _ROWS):
        some, likeness = words[start : start + _ROWS], Levenshtein.normalized_similarity
        alike = cdist(some, words, scorer=likeness, score_cutoff=_LEAST_ALIKE, dtype=np.float64)
        rows.append(csr_matrix(np.where(alike == 1.0, 1.0, _SCALE * alike**_POWER)))
    return vstack(rows, format="csr")


def soft_cosines(
    texts: csr_matrix, relation: csr_matrix, some: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The soft cosine of each pair of texts, in which related words are not orthogonal; 0 if a text has no words.

    Args:
        texts: weights of words, of shape (texts, words).
        relation: symmetric relation of the words, of shape (words, words).
        some: row of a text of each pair.
        others: row of the other text of each pair.

    Source:
        Sidorov et al. 2014, Soft similarity and soft cosine measure: Similarity of features in vector space model.
    """
    related = texts @ relation
    related.sort_indices()  # so that the order of sums does not depend on the words of other texts
    squares = _row_sums(related.multiply(texts))
    lengths = np.sqrt(np.maximum(0.0, squares[some] * squares[others]))
    products = _row_sums(related[some].multiply(texts[others]))
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)


def _row_sums(matrix: csr_matrix) -> NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
