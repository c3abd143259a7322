"""The classifier on texts and features, as a graph; imports ONNX."""

import numpy as np
from onnx import ModelProto

from cqa_spark.networks.graph import GraphBuilder
from cqa_spark.rankers.neural.layers import Layers
from cqa_spark.rankers.neural.network import NetworkShape, SiameseEncoder, WordAlignment
from cqa_spark.rankers.neural.text_encoders import encoded_pair
from cqa_spark.rankers.neural.word_alignment import compared_words


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
