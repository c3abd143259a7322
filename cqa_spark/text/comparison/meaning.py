"""How alike two texts are by the vectors of their words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


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

    def mean(self, weights: Numbers) -> Numbers:
        """Weighted mean of the vectors, up to its length."""
        return (self.times * weights) @ self.vectors

    @cached_property
    def soft_norm(self) -> float:
        """Length of the text's vector where similar words are no right angles."""
        return sqrt(self.weights @ _softened(self.vectors @ self.vectors.T) @ self.weights)


class MeaningSimilarity(NamedTuple):
    """Similarities of two texts by the vectors of their words.

    Attributes:
        plain_cosine: cosine of the means of the vectors.
        idf_cosine: cosine of the means, words weighted by idf.
        smooth_cosine: cosine of the means, words weighted by smooth inverse frequency, the common component removed.
        answered: mean over the words of the one text of the cosine to the most similar word of the other, by idf.
        repeated: the same from the other text to the one.
        movers_distance: relaxed Word Mover's distance, 0 for the same words.
        soft_cosine: cosine where similar words are no right angles.
    """

    plain_cosine: float
    idf_cosine: float
    smooth_cosine: float
    answered: float
    repeated: float
    movers_distance: float
    soft_cosine: float


def compare_meaning(one: Bag, other: Bag, common: Numbers) -> MeaningSimilarity:
    """Compare two texts, each of one word at least.

    Args:
        one: words of a text.
        other: words of the other text.
        common: the first principal component of all texts' means, of length 1.
    """
    cosines = one.vectors @ other.vectors.T
    best, other_best = cosines.max(axis=1), cosines.max(axis=0)
    return MeaningSimilarity(
        plain_cosine=_cosine(one.mean(np.ones_like(one.idf)), other.mean(np.ones_like(other.idf))),
        idf_cosine=_cosine(one.mean(one.idf), other.mean(other.idf)),
        smooth_cosine=_cosine(without(one.mean(one.smooth), common), without(other.mean(other.smooth), common)),
        answered=_mean(best, one.weights),
        repeated=_mean(other_best, other.weights),
        movers_distance=max(_mean(_distances(best), one.times), _mean(_distances(other_best), other.times)),
        soft_cosine=_soft_cosine(one, other, cosines),
    )


def without(mean: Numbers, common: Numbers) -> Numbers:
    """A mean less its part along a component of length 1 (Arora et al. 2017, algorithm 1)."""
    return mean - (mean @ common) * common


def _cosine(one: Numbers, other: Numbers) -> float:
    length = sqrt(one @ one) * sqrt(other @ other)
    return float(one @ other) / length if length > 0 else 0.0


def _mean(values: Numbers, weights: Numbers) -> float:
    return float(values @ weights) / float(weights.sum())


def _distances(cosines: Numbers) -> Numbers:
    """Euclidean distances of vectors of length 1."""
    return np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosines))


def _softened(cosines: Numbers) -> Numbers:
    """How much two words count as one (Charlet and Damnati 2017, section 2.1)."""
    return np.square(np.maximum(0.0, cosines))


def _soft_cosine(one: Bag, other: Bag, cosines: Numbers) -> float:
    length = one.soft_norm * other.soft_norm
    return float(one.weights @ _softened(cosines) @ other.weights) / length if length > 0 else 0.0
