"""A trained network in NumPy: decomposable attention over two texts, features, and the classifier on both.

Pairs are scored one at a time, so that the last digit of a score does not depend on other pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

Reals = NDArray[np.float64]

CLASSES = 2
"""Outputs of the classifier: irrelevant and relevant."""


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of a network; a network without ``attend`` and ``compare`` does not use texts.

    Attributes:
        features: number of features.
        dimensions: length of a word vector; 0 for no texts.
        attend: nodes of each layer of F, which transforms words for the attention.
        compare: nodes of each layer of G, which compares a word with its alignment.
        classify: nodes of each hidden layer of H, which classifies the pair.
    """

    features: int
    dimensions: int
    attend: tuple[int, ...]
    compare: tuple[int, ...]
    classify: tuple[int, ...]

    def layers(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """Numbers of inputs and nodes of each dense layer, by part of the network."""
        text = 2 * self.compare[-1] if self.compare else 0
        sizes = {
            "attend": (self.dimensions, *self.attend),
            "compare": (2 * self.dimensions, *self.compare),
            "classify": (text + self.features, *self.classify, CLASSES),
        }
        return {part: tuple(pairwise(nodes)) for part, nodes in sizes.items()}


class Dense(NamedTuple):
    """A dense layer.

    Attributes:
        weights: shape (inputs, nodes).
        biases: shape (nodes,).
    """

    weights: Reals
    biases: Reals

    def __call__(self, values: Reals) -> Reals:
        """The layer's output before its activation, shape (rows, nodes)."""
        found: Reals = values @ self.weights + self.biases
        return found


Layers = tuple[Dense, ...]


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network.

    Attributes:
        low: minimum of each feature in the training data, shape (features,).
        high: maximum of each feature in the training data.
        attend: layers of F.
        compare: layers of G.
        classify: layers of H; the last one has no activation.
    """

    low: Reals
    high: Reals
    attend: Layers
    compare: Layers
    classify: Layers

    def probability(self, features: Reals, texts: tuple[Reals, Reals] | None) -> float:
        """The probability that a candidate is relevant.

        Args:
            features: shape (features,).
            texts: word vectors of query and candidate, each of shape (words, dimensions); None without texts.
        """
        inputs = [] if texts is None else [self._compared(*texts)]
        *hidden, last = self.classify
        pair = np.concatenate([*inputs, scaled(features, self.low, self.high)])[None]
        irrelevant, relevant = last(rectified(pair, hidden))[0]
        return float(expit(relevant - irrelevant))

    def attention(self, query: Reals, candidate: Reals) -> Reals:
        """The unnormalised attention weights e of a pair (Xu et al. 2018, section 4.1.1).

        Args:
            query: its word vectors, shape (words, dimensions).
            candidate: its word vectors.

        Returns:
            Shape (words of the query, words of the candidate).
        """
        found: Reals = rectified(query, self.attend) @ rectified(candidate, self.attend).T
        return found

    def _compared(self, query: Reals, candidate: Reals) -> Reals:
        """The text vector of a pair: sums of the outputs of G over the words."""
        weights = self.attention(query, candidate)
        of_query, of_candidate = (softmax(weights, axis=axis) if weights.size else weights for axis in (1, 0))
        aligned = (query, of_query @ candidate), (candidate, of_candidate.T @ query)
        return np.concatenate([rectified(np.hstack(both), self.compare).sum(axis=0) for both in aligned])

    def save(self, folder: NewModelFolder) -> None:
        """Write each array to a separate file."""
        folder.write_array("low.npy", self.low)
        folder.write_array("high.npy", self.high)
        for part in ("attend", "compare", "classify"):
            for number, layer in enumerate(getattr(self, part)):
                folder.write_array(f"{part}_{number}_weights.npy", layer.weights)
                folder.write_array(f"{part}_{number}_biases.npy", layer.biases)

    @classmethod
    def load(cls, folder: ModelFolder, shape: NetworkShape) -> Network:
        """Read a network.

        Raises:
            ContractError: the shape of an array does not match the sizes.
        """
        parts = {part: tuple(_read_layers(folder, part, sizes)) for part, sizes in shape.layers().items()}
        low, high = (folder.read_array(f"{name}.npy", (shape.features,)) for name in ("low", "high"))
        return cls(low, high, **parts)


def rectified(values: Reals, layers: Sequence[Dense]) -> Reals:
    """The output of dense layers with rectified linear activations."""
    for layer in layers:
        values = np.maximum(layer(values), 0)
    return values


def scaled(values: Reals, low: Reals, high: Reals) -> Reals:
    """Features scaled linearly to [0, 1] by the range of the training data; 0 for constant features."""
    return np.divide(values - low, high - low, out=np.zeros_like(values), where=high > low)


def _read_layers(folder: ModelFolder, part: str, sizes: Sequence[tuple[int, int]]) -> Iterator[Dense]:
    for number, (inputs, nodes) in enumerate(sizes):
        yield Dense(
            folder.read_array(f"{part}_{number}_weights.npy", (inputs, nodes)),
            folder.read_array(f"{part}_{number}_biases.npy", (nodes,)),
        )
