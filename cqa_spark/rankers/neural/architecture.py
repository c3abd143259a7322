"""Decomposable attention over two texts, features, and the classifier on both, as a graph; imports ONNX."""

from __future__ import annotations

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
    graph, random = GraphBuilder(), np.random.default_rng(seed)
    features = graph.add_input("features", "pairs", shape.features)
    texts, outputs = [], {}
    if shape.attend:
        compared, outputs["attention"] = _compared(graph, shape, random)
        texts = [compared]
    inputs = graph.apply("Concat", *texts, features, axis=1)
    text = 2 * shape.compare[-1] if texts else 0
    hidden = _Layers(graph, "classify", (text + shape.features, *shape.classify), shape, random)
    # Of irrelevant and relevant; two outputs learn their difference in larger steps than a single one.
    classes = _Layer(graph, "output", hidden.nodes, 2, shape, random)(hidden(inputs))
    irrelevant, relevant = (
        graph.apply("Slice", classes, *map(graph.add_constant, ([at], [at + 1], [1]))) for at in (0, 1)
    )
    return graph.build(log_odds=graph.apply("Sub", relevant, irrelevant), **outputs)


class _Layer:
    """A dense layer.

    Its weights are Gaussian of variance 0.01, or Glorot's normal for batch normalisation (Xu et al. 2018, section 5).
    """

    def __init__(
        self, graph: GraphBuilder, name: str, inputs: int, nodes: int, shape: NetworkShape, random: np.random.Generator
    ) -> None:
        spread = np.sqrt(2 / (inputs + nodes)) if shape.batch_norm else 0.1
        self._graph = graph
        self._weights = graph.add_weights(f"{name}_weights", random.normal(0, spread, (inputs, nodes)))
        biases = np.zeros(nodes) if shape.batch_norm else random.normal(0, spread, nodes)
        self._biases = graph.add_weights(f"{name}_biases", biases)

    def __call__(self, values: str) -> str:
        return self._graph.apply("Add", self._graph.apply("MatMul", values, self._weights), self._biases)


class _Layers:
    """Dense layers, each followed by a rectified linear activation and dropout, and maybe after batch normalisation."""

    def __init__(
        self, graph: GraphBuilder, name: str, sizes: tuple[int, ...], shape: NetworkShape, random: np.random.Generator
    ) -> None:
        self._graph, self.nodes = graph, sizes[-1]
        self._rate = graph.add_constant(shape.dropout)
        self._layers = [
            (
                self._normalisation(f"{name}_{number}", inputs) if shape.batch_norm else (),
                _Layer(graph, f"{name}_{number}", inputs, nodes, shape, random),
            )
            for number, (inputs, nodes) in enumerate(pairwise(sizes))
        ]

    def __call__(self, values: str) -> str:
        for normalisation, layer in self._layers:
            if normalisation:
                values = self._graph.apply("BatchNormalization", values, *normalisation)
            values = self._graph.apply("Dropout", self._graph.apply("Relu", layer(values)), self._rate)
        return values

    def _normalisation(self, name: str, inputs: int) -> tuple[str, ...]:
        initial = {"scale": 1.0, "bias": 0.0, "mean": 0.0, "variance": 1.0}
        return tuple(
            self._graph.add_weights(f"{name}_{kind}", np.full(inputs, value)) for kind, value in initial.items()
        )


def _compared(graph: GraphBuilder, shape: NetworkShape, random: np.random.Generator) -> tuple[str, str]:
    """The text vector of a pair, the sums of the outputs of G over the words; and the attention weights."""
    attend = _Layers(graph, "attend", (shape.dimensions, *shape.attend), shape, random)
    compare = _Layers(graph, "compare", (2 * shape.dimensions, *shape.compare), shape, random)
    query, candidate = (graph.add_input(name, "pairs", f"{name}_words", shape.dimensions) for name in TEXTS)
    is_word = [graph.add_input(f"{name}_is_word", "pairs", f"{name}_words") for name in TEXTS]
    to_query = graph.apply("Transpose", attend(candidate), perm=[0, 2, 1])
    attention = graph.apply("MatMul", attend(query), to_query)
    aligned = (
        _aligned(graph, attention, candidate, is_word[1]),
        _aligned(graph, graph.apply("Transpose", attention, perm=[0, 2, 1]), query, is_word[0]),
    )
    sums = []
    for words, alignment, mask in zip((query, candidate), aligned, is_word, strict=True):
        compared = compare(graph.apply("Concat", words, alignment, axis=2))
        of_words = graph.apply("Mul", compared, graph.apply("Unsqueeze", mask, graph.add_constant([2])))
        sums.append(graph.apply("ReduceSum", of_words, graph.add_constant([1]), keepdims=0))
    return graph.apply("Concat", *sums, axis=1), attention


def _aligned(graph: GraphBuilder, attention: str, words: str, is_word: str) -> str:
    """For each word of one text, the mean of the words of the other one, weighted by attention; 0 without words."""
    mask = graph.apply("Unsqueeze", is_word, graph.add_constant([1]))
    absent = graph.apply("Mul", graph.apply("Sub", mask, graph.add_constant(1.0)), graph.add_constant(_ABSENT))
    shares = graph.apply("Softmax", graph.apply("Add", attention, absent), axis=2)
    return graph.apply("MatMul", graph.apply("Mul", shares, mask), words)
