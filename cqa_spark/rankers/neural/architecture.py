"""The graph of a new network on texts and features: a classifier, and the parts that read texts; imports ONNX."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from onnx import ModelProto, TensorProto

from cqa_spark.networks.graph import GraphBuilder
from cqa_spark.rankers.neural.network import TEXTS, NetworkShape, SiameseEncoder, WordAlignment

_ABSENT = 1e9
"""Subtracted from the attention weights of padding."""


def new_network(shape: NetworkShape, seed: int) -> ModelProto:
    """A network with random weights, whose outputs are the log-odds of relevance and the attention of aligned words.

    Args:
        shape: sizes; without texts, the classifier sees the features alone.
        seed: seed of the weights.

    Source:
        Xu et al. 2018, Preferred Answer Selection in Stack Overflow, sections 4.1 and 5; the functions of the
        parts that read texts name theirs.
    """
    graph = GraphBuilder()
    layers = Layers(graph, shape, np.random.default_rng(seed))
    features = graph.add_input("features", "pairs", shape.features)
    texts, outputs, size = [], {}, shape.features
    match shape.texts:
        case WordAlignment() as alignment:
            compared, outputs["attention"] = compared_words(layers, alignment)
            texts, size = [compared], size + 2 * alignment.compare[-1]
        case SiameseEncoder() as encoder:
            texts, length = encoded_pair(layers, encoder)
            size += length
    inputs = graph.apply("Concat", *texts, features, axis=1)
    # One output for irrelevant and one for relevant: they learn their difference in larger steps than a single output.
    sizes = (size, *shape.classify)
    classes = layers.linear("output", layers.rectified("classify", inputs, sizes), sizes[-1], 2)
    axis = graph.add_constant([1])
    irrelevant = graph.apply("Slice", classes, graph.add_constant([0]), graph.add_constant([1]), axis)
    relevant = graph.apply("Slice", classes, graph.add_constant([1]), graph.add_constant([2]), axis)
    return graph.build(log_odds=graph.apply("Sub", relevant, irrelevant), **outputs)


def compared_words(layers: Layers, sizes: WordAlignment) -> tuple[str, str]:
    """The vector of a pair, which joins the sums of G's outputs over the words of each text; and the attention weights.

    Source:
        Parikh et al. 2016, A Decomposable Attention Model for Natural Language Inference, section 3.
    """
    graph, dimensions = layers.graph, layers.shape.dimensions
    texts, is_word = layers.texts()
    query, candidate = (layers.rectified("attend", text, (dimensions, *sizes.attend)) for text in texts)
    attention = graph.apply("MatMul", query, graph.apply("Transpose", candidate, perm=[0, 2, 1]))
    aligned = (
        layers.weighted_mean(attention, texts[1], is_word[1]),
        layers.weighted_mean(graph.apply("Transpose", attention, perm=[0, 2, 1]), texts[0], is_word[0]),
    )
    sums = []
    for text, alignment, mask in zip(texts, aligned, is_word, strict=True):
        words = graph.apply("Concat", text, alignment, axis=2)
        compared = layers.rectified("compare", words, (2 * dimensions, *sizes.compare))
        # The output for padding is set to 0, then the outputs are added up over the words.
        without_padding = graph.apply("Mul", compared, graph.apply("Unsqueeze", mask, graph.add_constant([2])))
        sums.append(graph.apply("ReduceSum", without_padding, graph.add_constant([1]), keepdims=0))
    return graph.apply("Concat", *sums, axis=1), attention


def encoded_pair(layers: Layers, encoder: SiameseEncoder) -> tuple[list[str], int]:
    """The vector of the query, the similarity, and the vector of the candidate, which the classifier joins.

    The similarity of the vectors q and c is bilinear, q M c, with a matrix M that is learned.

    Returns:
        The three values of shape (pairs, length), and the sum of their lengths.

    Source:
        Severyn and Moschitti 2015, Learning to Rank Short Text Pairs with Convolutional Deep Neural Networks.
    """
    graph = layers.graph
    if encoder.kind == "convolution":
        vectors, length = strongest_responses(layers, encoder), encoder.nodes
    else:
        vectors, length = attended_states(layers, encoder), 2 * encoder.nodes
    query, candidate = map(layers.dropped, vectors)
    projected = graph.apply("MatMul", query, layers.weights("similarity_weights", length, length))
    similarity = graph.apply("ReduceSum", graph.apply("Mul", projected, candidate), graph.add_constant([1]), keepdims=1)
    return [query, similarity, candidate], 2 * length + 1


def strongest_responses(layers: Layers, encoder: SiameseEncoder) -> list[str]:
    """The highest response of each filter to a window around a word of query and candidate; 0 without words.

    Outside of the text, a window sees zeros.

    Source:
        Severyn and Moschitti 2015, Learning to Rank Short Text Pairs with Convolutional Deep Neural Networks, whose
        query and candidate have filters of their own; shared ones are better in Feng et al. 2015, Applying Deep
        Learning to Answer Selection.
    """
    graph, window = layers.graph, encoder.window
    filters = layers.weights("convolution_weights", encoder.nodes, layers.shape.dimensions, window)
    biases = graph.add_weights("convolution_biases", np.zeros(encoder.nodes))
    strongest = []
    for text, is_word in zip(*layers.texts(), strict=True):
        words = graph.apply("Transpose", text, perm=[0, 2, 1])
        responses = graph.apply("Conv", words, filters, biases, pads=[(window - 1) // 2, window // 2])
        mask = graph.apply("Unsqueeze", is_word, graph.add_constant([1]))
        # Responses are at least 0, so that padding, set to 0, is never the strongest.
        at_words = graph.apply("Mul", graph.apply("Relu", responses), mask)
        strongest.append(graph.apply("ReduceMax", at_words, axes=[2], keepdims=0))
    return strongest


def attended_states(layers: Layers, encoder: SiameseEncoder) -> list[str]:
    """The mean state of the query, and the mean state of the candidate weighted by attention; 0 without words.

    The attention of the query's vector q to a candidate's state h is v tanh(W h + U q).

    Source:
        Tan et al. 2015, LSTM-based Deep Learning Models for Non-factoid Answer Selection, the LSTM with attention.
    """
    graph, nodes = layers.graph, encoder.nodes
    texts, is_word = layers.texts()
    states = []  # of both directions after each word, shape (pairs, words, 2 nodes)
    for text, mask in zip(texts, is_word, strict=True):
        lengths = graph.apply("ReduceSum", mask, graph.add_constant([1]), keepdims=0)
        outputs = graph.apply(
            "LSTM",
            graph.apply("Transpose", text, perm=[1, 0, 2]),
            layers.weights("lstm_weights", 2, 4 * nodes, layers.shape.dimensions),
            layers.weights("lstm_recurrent_weights", 2, 4 * nodes, nodes),
            graph.add_weights("lstm_biases", np.zeros((2, 8 * nodes))),
            graph.apply("Cast", lengths, to=TensorProto.INT32),
            hidden_size=nodes,
            direction="bidirectional",
        )
        # From (words, directions, pairs, nodes) to (pairs, words, directions and nodes).
        by_pair = graph.apply("Transpose", outputs, perm=[2, 0, 1, 3])
        states.append(graph.apply("Reshape", by_pair, graph.add_constant([0, 0, 2 * nodes])))
    query, candidate = states
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


@dataclass(frozen=True)
class Layers:
    """Adds layers to a graph; layers of one name share their weights."""

    graph: GraphBuilder
    shape: NetworkShape
    random: np.random.Generator

    def texts(self) -> tuple[list[str], list[str]]:
        """The word vectors of query and candidate, shape (pairs, words, dimensions), and 1 for words, 0 for padding."""
        add = self.graph.add_input
        texts = [add(name, "pairs", f"{name}_words", self.shape.dimensions) for name in TEXTS]
        return texts, [add(f"{name}_is_word", "pairs", f"{name}_words") for name in TEXTS]

    def rectified(self, name: str, values: str, sizes: tuple[int, ...]) -> str:
        """Layers with a rectified linear activation and dropout, and batch normalisation of their inputs if declared.

        Args:
            name: start of the names of the layers.
            values: input of the first layer.
            sizes: length of the input, then the nodes of each layer.
        """
        for number, (inputs, nodes) in enumerate(pairwise(sizes)):
            layer = f"{name}_{number}"
            if self.shape.batch_norm:
                initial = {"scale": 1.0, "bias": 0.0, "mean": 0.0, "variance": 1.0}
                statistics = [
                    self.graph.add_weights(f"{layer}_{name}", np.full(inputs, value)) for name, value in initial.items()
                ]
                values = self.graph.apply("BatchNormalization", values, *statistics)
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
        """Gaussian weights of a shape."""
        return self.graph.add_weights(name, self.random.normal(0, spread, lengths))

    def dropped(self, values: str) -> str:
        """Values with dropout."""
        return self.graph.apply("Dropout", values, self.graph.add_constant(self.shape.dropout))

    def weighted_mean(self, weights: str, words: str, is_word: str) -> str:
        """Means of the words of a text, weighted by the softmax of the weights; 0 without words.

        Args:
            weights: shape (pairs, means, words).
            words: shape (pairs, words, dimensions).
            is_word: 0 for padding, shape (pairs, words).
        """
        graph = self.graph
        # Padding gets a large negative weight, and then exactly 0: without words, all shares are padding's.
        mask = graph.apply("Unsqueeze", is_word, graph.add_constant([1]))
        absent = graph.apply("Mul", graph.apply("Sub", mask, graph.add_constant(1.0)), graph.add_constant(_ABSENT))
        shares = graph.apply("Softmax", graph.apply("Add", weights, absent), axis=2)
        return graph.apply("MatMul", graph.apply("Mul", shares, mask), words)
