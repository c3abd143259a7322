"""Similarity of texts by word vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Bag:
    """The distinct words of a text with vectors.

    Attributes:
        vectors: one row per word, of unit length.
        times: frequency of each word in the text.
        idf: inverse document frequency of each word.
        smooth: smooth inverse frequency of each word.
    """

    vectors: Numbers
    times: Numbers
    idf: Numbers
    smooth: Numbers

    @property
    def weights(self) -> Numbers:
        """Frequency times idf of each word."""
        return self.times * self.idf

    @cached_property
    def means(self) -> Numbers:
        """The means of the vectors, up to scale: plain, by idf, and by smooth inverse frequency; one per row."""
        return np.stack([self.times, self.weights, self.times * self.smooth]) @ self.vectors

    @cached_property
    def soft_norm(self) -> float:
        """Norm of the text's vector for the soft cosine, in which similar words are not orthogonal."""
        return sqrt(self.weights @ _softened(self.vectors @ self.vectors.T) @ self.weights)


def compare_meaning(one: Bag, others: Sequence[Bag], common: Numbers) -> dict[str, Numbers]:
    """The similarities of a text to others by word vectors, by name; one item per other text.

    ``answered`` aligns the words of the text with those of the other, ``repeated`` the other way; both are means by
    idf. ``movers_distance`` is 0 for the same words.

    Args:
        one: words of the text, at least one.
        others: at least one text, each with at least one word.
        common: the first principal component of the means of all texts, of unit length.
    """
    sizes = np.array([len(other.times) for other in others])
    starts = np.cumsum(sizes) - sizes
    times, weights = (np.concatenate([getattr(other, name) for other in others]) for name in ("times", "weights"))
    # Rows are the words of all other texts, one text after the other.
    cosines = np.concatenate([other.vectors for other in others]) @ one.vectors.T
    best, other_best = np.maximum.reduceat(cosines, starts), cosines.max(axis=1)
    there = _distances(best) @ one.times / one.times.sum()
    back = _means(_distances(other_best), times, starts)
    plain, by_idf, smooth = np.stack([other.means for other in others], axis=1)
    return {
        "plain_cosine": _cosines(one.means[0], plain),
        "idf_cosine": _cosines(one.means[1], by_idf),
        "smooth_cosine": _cosines(without(one.means[2], common), without(smooth, common)),
        "answered": best @ one.weights / one.weights.sum(),
        "repeated": _means(other_best, weights, starts),
        "movers_distance": np.maximum(there, back),
        "soft_cosine": _over(
            np.add.reduceat((_softened(cosines) @ one.weights) * weights, starts),
            one.soft_norm * np.array([other.soft_norm for other in others]),
        ),
    }


def without(means: Numbers, common: Numbers) -> Numbers:
    """Means without their projection on a component of unit length (Arora et al. 2017, algorithm 1)."""
    return means - np.multiply.outer(means @ common, common)


def _cosines(one: Numbers, others: Numbers) -> Numbers:
    return _over(others @ one, sqrt(one @ one) * np.linalg.norm(others, axis=1))


def _means(values: Numbers, weights: Numbers, starts: Indices) -> Numbers:
    """The weighted mean of the values of each text's words."""
    return np.add.reduceat(values * weights, starts) / np.add.reduceat(weights, starts)


def _distances(cosines: Numbers) -> Numbers:
    """Euclidean distances of unit vectors."""
    return np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosines))


def _softened(cosines: Numbers) -> Numbers:
    """Similarities of words for the soft cosine (Charlet and Damnati 2017, section 2.1)."""
    return np.square(np.maximum(0.0, cosines))


def _over(products: Numbers, lengths: Numbers) -> Numbers:
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
