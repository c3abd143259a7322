"""How alike texts are by the vectors of their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Bag:
    """The distinct words of a text that have vectors.

    Attributes:
        vectors: one row a word, each of length 1.
        times: how often the text has each word.
        idf: how rare each word is among texts.
        smooth: weight of each word by smooth inverse frequency.
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
        """The means of the vectors, up to their length: plain, by idf, and by smooth inverse frequency; one a row."""
        return np.stack([self.times, self.weights, self.times * self.smooth]) @ self.vectors

    @cached_property
    def soft_norm(self) -> float:
        """Length of the text's vector where similar words are no right angles."""
        return sqrt(self.weights @ _softened(self.vectors @ self.vectors.T) @ self.weights)


class MeaningSimilarity(NamedTuple):
    """Similarities of a text to others by the vectors of their words; an item per other text.

    Attributes:
        plain_cosine: cosine of the means of the vectors.
        idf_cosine: cosine of the means, words weighted by idf.
        smooth_cosine: cosine of the means, words weighted by smooth inverse frequency, the common component removed.
        answered: mean over the words of the one text of the cosine to the most similar word of the other, by idf.
        repeated: the same from the other text to the one.
        movers_distance: relaxed Word Mover's distance, 0 for the same words.
        soft_cosine: cosine where similar words are no right angles.
    """

    plain_cosine: Numbers
    idf_cosine: Numbers
    smooth_cosine: Numbers
    answered: Numbers
    repeated: Numbers
    movers_distance: Numbers
    soft_cosine: Numbers


def compare_meaning(one: Bag, others: Sequence[Bag], common: Numbers) -> MeaningSimilarity:
    """Compare a text with others, each of one word at least.

    Args:
        one: words of the text.
        others: words of each other text, at least one.
        common: the first principal component of all texts' means, of length 1.
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
    return MeaningSimilarity(
        plain_cosine=_cosines(one.means[0], plain),
        idf_cosine=_cosines(one.means[1], by_idf),
        smooth_cosine=_cosines(without(one.means[2], common), without(smooth, common)),
        answered=best @ one.weights / one.weights.sum(),
        repeated=_means(other_best, weights, starts),
        movers_distance=np.maximum(there, back),
        soft_cosine=_over(
            np.add.reduceat((_softened(cosines) @ one.weights) * weights, starts),
            one.soft_norm * np.array([other.soft_norm for other in others]),
        ),
    )


def without(means: Numbers, common: Numbers) -> Numbers:
    """Means less their part along a component of length 1 (Arora et al. 2017, algorithm 1)."""
    return means - np.multiply.outer(means @ common, common)


def _cosines(one: Numbers, others: Numbers) -> Numbers:
    return _over(others @ one, sqrt(one @ one) * np.linalg.norm(others, axis=1))


def _means(values: Numbers, weights: Numbers, starts: Indices) -> Numbers:
    """The weighted mean of the values of each text's words."""
    return np.add.reduceat(values * weights, starts) / np.add.reduceat(weights, starts)


def _distances(cosines: Numbers) -> Numbers:
    """Euclidean distances of vectors of length 1."""
    return np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosines))


def _softened(cosines: Numbers) -> Numbers:
    """How much two words count as one (Charlet and Damnati 2017, section 2.1)."""
    return np.square(np.maximum(0.0, cosines))


def _over(products: Numbers, lengths: Numbers) -> Numbers:
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
