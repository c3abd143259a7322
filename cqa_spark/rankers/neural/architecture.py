"""Decomposable attention over two texts, features, and the classifier on both, as a graph; imports ONNX."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from onnx import ModelProto

from cqa_spark.networks.graph import GraphBuilder
from cqa_spark.rankers.neural.network import TEXTS, NetworkShape

_ABSENT = 1e9
"""Subtracted from the attention weights of padding."""


def new_network(shape: NetworkShape, seed: int) -> ModelProto:
    """A network with random weights, whose outputs are the log-odds of relevance and the attention weights.

    Args:
        shape: sizes; without texts, the classifier sees the features alone.
        seed: seed of the weights.

    Source:
        Parikh et al. 2016, A Decomposable Attention Model for Natural Language Inference, section 3; with features, Xu
        et al. 2018, Preferred Answer Selection in Stack Overflow, sections 4.1 and 5.
    """
    graph = GraphBuilder()
    layers = _Layers(graph, shape, np.random.default_rng(seed))
    features = graph.add_input("features", "pairs", shape.features)
    texts, outputs = [], {}
    if shape.attend:
        compared, outputs["attention"] = _compared(layers)
        texts = [compared]
    inputs = graph.apply("Concat", *texts, features, axis=1)
    sizes = ((2 * shape.compare[-1] if texts else 0) + shape.features, *shape.classify)
    # Of irrelevant and relevant; two outputs learn their difference in larger steps than a single one.
    classes = layers.linear("output", layers.rectified("classify", inputs, sizes), sizes[-1], 2)
    irrelevant, relevant = (
        graph.apply("Slice", classes, *map(graph.add_constant, ([at], [at + 1], [1]))) for at in (0, 1)
    )
    return graph.build(log_odds=graph.apply("Sub", relevant, irrelevant), **outputs)


@dataclass(frozen=True)
class _Layers:
    """Adds dense layers to a graph; those of the same name share their weights."""

    graph: GraphBuilder
    shape: NetworkShape
    random: np.random.Generator

    def rectified(self, name: str, values: str, sizes: tuple[int, ...]) -> str:
        """Layers with a rectified linear activation and dropout, and maybe batch normalisation of their inputs."""
        for number, (inputs, nodes) in enumerate(pairwise(sizes)):
            layer = f"{name}_{number}"
            if self.shape.batch_norm:
                initial = {"scale": 1.0, "bias": 0.0, "mean": 0.0, "variance": 1.0}
                numbers = [self.graph.add_weights(f"{layer}_{n}", np.full(inputs, v)) for n, v in initial.items()]
                values = self.graph.apply("BatchNormalization", values, *numbers)
            values = self.graph.apply("Relu", self.linear(layer, values, inputs, nodes))
            values = self.graph.apply("Dropout", values, self.graph.add_constant(self.shape.dropout))
        return values

    def linear(self, name: str, values: str, inputs: int, nodes: int) -> str:
        """Weights are Gaussian of variance 0.01, or Glorot's for batch normalisation (Xu et al. 2018, section 5)."""
        spread = np.sqrt(2 / (inputs + nodes)) if self.shape.batch_norm else 0.1
        weights = self.graph.add_weights(f"{name}_weights", self.random.normal(0, spread, (inputs, nodes)))
        biases = np.zeros(nodes) if self.shape.batch_norm else self.random.normal(0, spread, nodes)
        product = self.graph.apply("MatMul", values, weights)
        return self.graph.apply("Add", product, self.graph.add_weights(f"{name}_biases", biases))


def _compared(layers: _Layers) -> tuple[str, str]:
    """The text vector of a pair, the sums of the outputs of G over the words; and the attention weights."""
    graph, shape = layers.graph, layers.shape
    texts = [graph.add_input(name, "pairs", f"{name}_words", shape.dimensions) for name in TEXTS]
    is_word = [graph.add_input(f"{name}_is_word", "pairs", f"{name}_words") for name in TEXTS]
    query, candidate = (layers.rectified("attend", text, (shape.dimensions, *shape.attend)) for text in texts)
    attention = graph.apply("MatMul", query, graph.apply("Transpose", candidate, perm=[0, 2, 1]))
    aligned = (
        _aligned(graph, attention, texts[1], is_word[1]),
        _aligned(graph, graph.apply("Transpose", attention, perm=[0, 2, 1]), texts[0], is_word[0]),
    )
    sums = []
    for text, alignment, mask in zip(texts, aligned, is_word, strict=True):
        words = graph.apply("Concat", text, alignment, axis=2)
        compared = layers.rectified("compare", words, (2 * shape.dimensions, *shape.compare))
        of_words = graph.apply("Mul", compared, graph.apply("Unsqueeze", mask, graph.add_constant([2])))
        sums.append(graph.apply("ReduceSum", of_words, graph.add_constant([1]), keepdims=0))
    return graph.apply("Concat", *sums, axis=1), attention


def _aligned(graph: GraphBuilder, attention: str, words: str, is_word: str) -> str:
    """For each word of one text, the mean of the words of the other one, weighted by attention; 0 without words."""
    mask = graph.apply("Unsqueeze", is_word, graph.add_constant([1]))
    absent = graph.apply("Mul", graph.apply("Sub", mask, graph.add_constant(1.0)), graph.add_constant(_ABSENT))
    shares = graph.apply("Softmax", graph.apply("Add", attention, absent), axis=2)
    return graph.apply("MatMul", graph.apply("Mul", shares, mask), words)
