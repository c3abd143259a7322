"""A convolution over the words of a text, as a part of a graph."""

import numpy as np

from cqa_spark.rankers.neural.layers import Layers
from cqa_spark.rankers.neural.network import SiameseEncoder


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
