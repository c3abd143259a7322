"""Vectors of two texts by the same encoder, and their similarity, as a part of a graph."""

from cqa_spark.rankers.neural.convolution import strongest_responses
from cqa_spark.rankers.neural.layers import Layers
from cqa_spark.rankers.neural.lstm import attended_states
from cqa_spark.rankers.neural.network import SiameseEncoder


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
