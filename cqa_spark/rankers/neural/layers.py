"""Layers that the parts of a network share, in a graph; imports ONNX."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cqa_spark.networks.graph import GraphBuilder
from cqa_spark.rankers.neural.network import TEXTS, NetworkShape

_ABSENT = 1e9
"""Subtracted from the attention weights of padding."""


@dataclass(frozen=True)
class Layers:
    """Adds layers to a graph; those of the same name share their weights."""

    graph: GraphBuilder
    shape: NetworkShape
    random: np.random.Generator

    def texts(self) -> tuple[list[str], list[str]]:
        """The word vectors of query and candidate, shape (pairs, words, dimensions), and 1 for words, 0 for padding."""
        add = self.graph.add_input
        texts = [add(name, "pairs", f"{name}_words", self.shape.dimensions) for name in TEXTS]
        return texts, [add(f"{name}_is_word", "pairs", f"{name}_words") for name in TEXTS]

    def rectified(self, name: str, values: str, sizes: tuple[int, ...]) -> str:
        """Layers with a rectified linear activation and dropout, and maybe batch normalisation of their inputs."""
        for number, (inputs, nodes) in enumerate(pairwise(sizes)):
            layer = f"{name}_{number}"
            if self.shape.batch_norm:
                initial = {"scale": 1.0, "bias": 0.0, "mean": 0.0, "variance": 1.0}
                numbers = [self.graph.add_weights(f"{layer}_{n}", np.full(inputs, v)) for n, v in initial.items()]
                values = self.graph.apply("BatchNormalization", values, *numbers)
            values = self.dropped(self.graph.apply("Relu", self.linear(layer, values, inputs, nodes)))
        return values

    def linear(self, name: str, values: str, inputs: int, nodes: int) -> str:
        """Weights are Gaussian of variance 0.01, or Glorot's for batch normalisation (Xu et al. 2018, section 5)."""
        spread = np.sqrt(2 / (inputs + nodes)) if self.shape.batch_norm else 0.1
        weights = self.weights(f"{name}_weights", inputs, nodes, spread=spread)
        biases = np.zeros(nodes) if self.shape.batch_norm else self.random.normal(0, spread, nodes)
        product = self.graph.apply("MatMul", values, weights)
        return self.graph.apply("Add", product, self.graph.add_weights(f"{name}_biases", biases))

    def weights(self, name: str, *lengths: int, spread: float = 0.1) -> str:
        """Gaussian weights of the given shape."""
        return self.graph.add_weights(name, self.random.normal(0, spread, lengths))

    def dropped(self, values: str) -> str:
        """Dropout."""
        return self.graph.apply("Dropout", values, self.graph.add_constant(self.shape.dropout))

    def weighted_mean(self, weights: str, words: str, is_word: str) -> str:
        """Means of the words of a text, weighted by the softmax of the weights; 0 without words.

        Args:
            weights: shape (pairs, means, words).
            words: shape (pairs, words, dimensions).
            is_word: 0 for padding, shape (pairs, words).
        """
        graph = self.graph
        mask = graph.apply("Unsqueeze", is_word, graph.add_constant([1]))
        absent = graph.apply("Mul", graph.apply("Sub", mask, graph.add_constant(1.0)), graph.add_constant(_ABSENT))
        shares = graph.apply("Softmax", graph.apply("Add", weights, absent), axis=2)
        return graph.apply("MatMul", graph.apply("Mul", shares, mask), words)
