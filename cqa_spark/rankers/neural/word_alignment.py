"""Decomposable attention over the words of two texts, as a part of a graph."""

from cqa_spark.rankers.neural.layers import Layers
from cqa_spark.rankers.neural.network import WordAlignment


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
