"""A bidirectional LSTM over the words of a text, with attention, as a part of a graph."""

import numpy as np
from onnx import TensorProto

from cqa_spark.rankers.neural.layers import Layers
from cqa_spark.rankers.neural.network import SiameseEncoder


def attended_states(layers: Layers, encoder: SiameseEncoder) -> list[str]:
    """The mean state of the query, and the mean state of the candidate weighted by attention; 0 without words.

    The attention of the query's vector q to a candidate's state h is v tanh(W h + U q).

    Source:
        Tan et al. 2015, LSTM-based Deep Learning Models for Non-factoid Answer Selection, the LSTM with attention.
    """
    graph, nodes = layers.graph, encoder.nodes
    texts, is_word = layers.texts()
    query, candidate = (_states(layers, nodes, *pair) for pair in zip(texts, is_word, strict=True))
    is_query_word = graph.apply("Unsqueeze", is_word[0], graph.add_constant([1]))
    equal_weights = graph.apply("Mul", is_query_word, graph.add_constant(0.0))
    query_mean = layers.weighted_mean(equal_weights, query, is_word[0])
    hidden = graph.apply(
        "Add",
        layers.linear("attend_candidate", candidate, 2 * nodes, nodes),
        layers.linear("attend_query", query_mean, 2 * nodes, nodes),
    )
    attention = layers.linear("attention", graph.apply("Tanh", hidden), nodes, 1)
    weights = graph.apply("Transpose", attention, perm=[0, 2, 1])
    means = query_mean, layers.weighted_mean(weights, candidate, is_word[1])
    return [graph.apply("Squeeze", mean, graph.add_constant([1])) for mean in means]


def _states(layers: Layers, nodes: int, text: str, is_word: str) -> str:
    """The states of both directions after each word, shape (pairs, words, 2 nodes)."""
    graph = layers.graph
    lengths = graph.apply("ReduceSum", is_word, graph.add_constant([1]), keepdims=0)
    states = graph.apply(
        "LSTM",
        graph.apply("Transpose", text, perm=[1, 0, 2]),
        layers.weights("lstm_weights", 2, 4 * nodes, layers.shape.dimensions),
        layers.weights("lstm_recurrent_weights", 2, 4 * nodes, nodes),
        graph.add_weights("lstm_biases", np.zeros((2, 8 * nodes))),
        graph.apply("Cast", lengths, to=TensorProto.INT32),
        hidden_size=nodes,
        direction="bidirectional",
    )
    by_pair = graph.apply("Transpose", states, perm=[2, 0, 1, 3])
    return graph.apply("Reshape", by_pair, graph.add_constant([0, 0, 2 * nodes]))
