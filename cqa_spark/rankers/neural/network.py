"""A trained network of a pair, which ONNX Runtime evaluates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto
from scipy.special import expit

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.networks.onnx_in_jax import GraphBuilder
from cqa_spark.networks.scoring import input_lengths, run

Reals = NDArray[np.float64]
Texts = Sequence[NDArray[np.floating[Any]]]
"""The word vectors of each text, of shape (words, dimensions)."""

DIGITS = 6
"""Decimal places of a probability; further places differ between CPUs."""

TEXTS = "query", "candidate"
_GRAPH = "network.onnx"


@dataclass(frozen=True)
class WordAlignment:
    """Sizes of a network that aligns and compares the words of both texts.

    Attributes:
        attend: nodes of each layer of F, which transforms words for the attention.
        compare: nodes of each layer of G, which compares a word with its alignment.
    """

    attend: tuple[int, ...]
    compare: tuple[int, ...]


@dataclass(frozen=True)
class SiameseEncoder:
    """Sizes of a network that makes a vector of each text.

    Attributes:
        kind: the encoder.
        nodes: number of filters of the convolution, or nodes of the LSTM in each direction.
        window: number of words that a filter sees.
    """

    kind: Literal["convolution", "lstm"]
    nodes: int
    window: int


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of a network.

    Attributes:
        features: number of features.
        dimensions: length of a word vector; 0 for no texts.
        texts: the part that reads texts; None for features alone.
        classify: nodes of each hidden layer of H, which classifies the pair.
        dropout: dropout rate after each layer.
        batch_norm: whether the inputs of each layer are normalised over the batch.
    """

    features: int
    dimensions: int
    texts: WordAlignment | SiameseEncoder | None
    classify: tuple[int, ...]
    dropout: float = 0.5
    batch_norm: bool = False


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network. Pairs are scored one at a time, so that a score does not depend on other pairs.

    Attributes:
        low: minimum of each feature in the training data, shape (features,).
        high: maximum of each feature in the training data.
        graph: content of an ONNX file.
    """

    low: Reals
    high: Reals
    graph: bytes

    def probability(self, features: Reals, texts: Texts) -> float:
        """The probability that a candidate is relevant, rounded.

        Args:
            features: shape (features,).
            texts: query and candidate; empty for a network without texts.
        """
        inputs = self.inputs(features[None], *[[text] for text in texts])
        log_odds = run(self.graph, "log_odds", inputs)
        return round(float(expit(np.float64(log_odds[0, 0]))), DIGITS)

    def attention(self, query: Reals, candidate: Reals) -> Reals:
        """The unnormalised attention weights e of a pair (Xu et al. 2018, section 4.1.1).

        Args:
            query: its word vectors, shape (words, dimensions).
            candidate: its word vectors.

        Returns:
            Shape (words of the query, words of the candidate).
        """
        inputs = self.inputs(self.low[None], [query], [candidate])
        return run(self.graph, "attention", inputs)[0, : len(query), : len(candidate)].astype(np.float64)

    def inputs(self, features: Reals, *sides: Texts, length: int = 1) -> dict[str, NDArray[np.float32]]:
        """The inputs of the graph.

        Args:
            features: shape (pairs, features).
            sides: the query of each pair, and the candidate of each pair; none for a network without texts.
            length: minimum number of words, with padding.
        """
        inputs = {"features": scaled(features, self.low, self.high).astype(np.float32)}
        for name, texts in zip(TEXTS, sides, strict=False):
            inputs |= _padded(name, texts, length)
        return inputs

    def save(self, folder: NewModelFolder) -> None:
        """Write the range of the features, and the graph."""
        folder.write_array("low.npy", self.low)
        folder.write_array("high.npy", self.high)
        folder.write_bytes(_GRAPH, self.graph)

    @classmethod
    def load(cls, folder: ModelFolder, shape: NetworkShape) -> Network:
        """Read a network.

        Raises:
            ContractError: a file is no ONNX graph, or does not fit to the sizes.
        """
        low, high = (folder.read_array(f"{name}.npy", (shape.features,)) for name in ("low", "high"))
        graph = folder.read_bytes(_GRAPH)
        texts = dict.fromkeys(TEXTS, shape.dimensions) if shape.texts else {}
        try:
            lengths = input_lengths(graph)
        except Exception as error:  # the library's errors have no other common class
            raise folder.refusal(_GRAPH, str(error)) from error
        for name, wanted in {"features": shape.features, **texts}.items():
            if lengths.get(name) != wanted:
                raise folder.refusal(_GRAPH, f"its input {name} has the length {lengths.get(name)}, not {wanted}")
        return cls(low, high, graph)


def scaled(values: Reals, low: Reals, high: Reals) -> Reals:
    """Features scaled linearly to [0, 1] by the range of the training data; 0 for constant features."""
    return np.divide(values - low, high - low, out=np.zeros_like(values), where=high > low)


def _padded(name: str, texts: Texts, length: int) -> dict[str, NDArray[np.float32]]:
    """The word vectors of texts, and 1 for each word and 0 for padding; a text without words is padding alone."""
    words = max(length, *map(len, texts))
    vectors = np.zeros((len(texts), words, texts[0].shape[1]), dtype=np.float32)
    is_word = np.zeros((len(texts), words), dtype=np.float32)
    for row, text in enumerate(texts):
        vectors[row, : len(text)], is_word[row, : len(text)] = text, 1.0
    return {name: vectors, f"{name}_is_word": is_word}


# Layers that the parts of a network share, in a graph; imports ONNX.

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


# Decomposable attention over the words of two texts, as a part of a graph.


def compared_words(layers: Layers, sizes: WordAlignment) -> tuple[str, str]:
    """The text vector of a pair, the sums of the outputs of G over the words; and the attention weights.

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
        of_words = graph.apply("Mul", compared, graph.apply("Unsqueeze", mask, graph.add_constant([2])))
        sums.append(graph.apply("ReduceSum", of_words, graph.add_constant([1]), keepdims=0))
    return graph.apply("Concat", *sums, axis=1), attention


# A convolution over the words of a text, as a part of a graph.


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
        of_words = graph.apply("Mul", graph.apply("Relu", responses), mask)
        strongest.append(graph.apply("ReduceMax", of_words, axes=[2], keepdims=0))
    return strongest


# A bidirectional LSTM over the words of a text, with attention, as a part of a graph.


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


# Vectors of two texts by the same encoder, and their similarity, as a part of a graph.


def encoded_pair(layers: Layers, encoder: SiameseEncoder) -> tuple[list[str], int]:
    """The vector of the query, the similarity, and the vector of the candidate, which the classifier joins.

    The similarity of the vectors q and c is bilinear, q M c, with a matrix M that is learned.

    Returns:
        The three values of shape (pairs, length), and the sum of their lengths.

    Source:
        Severyn and Moschitti 2015, Learning to Rank Short Text Pairs with Convolutional Deep Neural Networks.
    """
    graph = layers.graph
    encode, length = {
        "convolution": (strongest_responses, encoder.nodes),
        "lstm": (attended_states, 2 * encoder.nodes),
    }[encoder.kind]
    query, candidate = map(layers.dropped, encode(layers, encoder))
    projected = graph.apply("MatMul", query, layers.weights("similarity_weights", length, length))
    similarity = graph.apply("ReduceSum", graph.apply("Mul", projected, candidate), graph.add_constant([1]), keepdims=1)
    return [query, similarity, candidate], 2 * length + 1


# The classifier on texts and features, as a graph; imports ONNX.


def new_network(shape: NetworkShape, seed: int) -> ModelProto:
    """A network with random weights, whose outputs are the log-odds of relevance and the attention of aligned words.

    Args:
        shape: sizes; without texts, the classifier sees the features alone.
        seed: seed of the weights.

    Source:
        Xu et al. 2018, Preferred Answer Selection in Stack Overflow, sections 4.1 and 5; the parts that read texts name
        theirs.
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
    # Of irrelevant and relevant; two outputs learn their difference in larger steps than a single one.
    sizes = (size, *shape.classify)
    classes = layers.linear("output", layers.rectified("classify", inputs, sizes), sizes[-1], 2)
    irrelevant, relevant = (
        graph.apply("Slice", classes, *map(graph.add_constant, ([at], [at + 1], [1]))) for at in (0, 1)
    )
    return graph.build(log_odds=graph.apply("Sub", relevant, irrelevant), **outputs)
