"""The two parts of a pretrained transformer, cut from its graph: lower layers for one text, upper layers for a pair.

Imports ONNX, but not JAX: scoring needs the lower layers.
"""

from functools import lru_cache

import numpy as np
from onnx import ModelProto, NodeProto, compose, helper, load_from_string

from cqa_spark.networks.graph import GraphBuilder, part
from cqa_spark.text.encoders.encoder import read_shipped
from cqa_spark.text.encoders.model import EmbeddingModel

DROPOUT = 0.1
"""As in BERT (Devlin et al. 2019, appendix A.2)."""

TOKENS, KINDS, MASK = "input_ids", "token_type_ids", "attention_mask"
_LAYER = "/encoder/layer.{}/"
"""Operators of a layer have names that begin so; the names are those that PyTorch's exporter gives to BERT."""

_NORM = "output/LayerNorm/Add_1"


def lower_layers(name: str, trained_layers: int) -> ModelProto:
    """The layers that encode a text alone, as pretrained.

    Args:
        name: name of the transformer, in ``conf/models``.
        trained_layers: number of upper layers.

    Returns:
        A graph with one output, of shape (texts, tokens, size).

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """
    model = _pretrained(name)
    return part(model, [TOKENS, KINDS, MASK], [_states(model, _layers(model) - trained_layers)])


def new_upper_layers(name: str, trained_layers: int, seed: int) -> ModelProto:
    """The pretrained layers that read both texts of a pair, with a random output for the first token.

    Args:
        name: name of the transformer, in ``conf/models``.
        trained_layers: number of upper layers.
        seed: seed of the output's weights.

    Returns:
        A graph whose output is ``log_odds``, of shape (pairs, 1). Its inputs are ``states``, the outputs of the lower
        layers for one text after the other, of shape (pairs, tokens, size); ``is_second``, 1 for tokens of the second
        text, of shape (pairs, tokens, 1); and the mask, 0 for padding, of shape (pairs, tokens).
    """
    model = _pretrained(name)
    layers = _layers(model)
    # The tensors before the upper layers, before the last layer, and after it.
    first, last, final = (_states(model, layer) for layer in (layers - trained_layers, layers - 1, layers))
    upper = part(model, [first, MASK], [final])
    _edit(upper, last, _LAYER.format(layers - 1))
    size = upper.graph.input[0].type.tensor_type.shape.dim[2].dim_value

    # Before: a trained vector is added to the states of the second text.
    marked = GraphBuilder(upper, "before/")
    states, is_second = marked.add_input("states", "p", "t", size), marked.add_input("is_second", "p", "t", 1)
    kind = marked.apply("MatMul", is_second, marked.add_weights("second_text", np.zeros((1, size))))
    before = marked.build(marked_states=marked.apply("Add", states, kind))

    # After: a trained linear function of the first token's state.
    output = GraphBuilder(upper, "after/")
    token = output.apply("Squeeze", output.add_input("first_token", "p", 1, size), output.add_constant([1]))
    weights = output.add_weights("output_weights", np.random.default_rng(seed).normal(0, 0.02, (size, 1)))
    product = output.apply("MatMul", output.apply("Dropout", token, output.add_constant(DROPOUT)), weights)
    after = output.build(log_odds=output.apply("Add", product, output.add_weights("output_bias", np.zeros(1))))

    joined = compose.merge_models(before, upper, [("marked_states", first)])
    return compose.merge_models(joined, after, [(final, "first_token")])


def _edit(upper: ModelProto, last: str, last_layer: str) -> None:
    """Add dropout before residual connections, and let the last layer compute the first token only."""
    constants = GraphBuilder(upper, "constants/")
    rate, start, end, axis = (constants.add_constant(value) for value in (DROPOUT, [0], [1], [1]))
    edited: list[NodeProto] = [*constants.nodes]
    first_token = helper.make_node("Slice", [last, start, end, axis], ["first_token_states"])
    if last == upper.graph.input[0].name:
        edited.append(first_token)
    for node in upper.graph.node:
        if node.name.startswith(last_layer) and node.name.endswith(("self/query/MatMul", "attention/output/Add")):
            node.input[:] = ["first_token_states" if name == last else name for name in node.input]
        edited.append(node)
        if node.name.endswith("output/dense/Add"):
            output = node.output[0]
            node.output[0] = f"{output}_before_dropout"
            edited.append(helper.make_node("Dropout", [node.output[0], rate], [output]))
        if last in node.output:
            edited.append(first_token)
    copies = [NodeProto.FromString(node.SerializeToString()) for node in edited]
    del upper.graph.node[:], upper.graph.value_info[:]
    upper.graph.node.extend(copies)


def _layers(model: ModelProto) -> int:
    names = {node.name for node in model.graph.node}
    return next(number for number in range(len(names)) if f"{_LAYER.format(number)}{_NORM}" not in names)


def _states(model: ModelProto, layers: int) -> str:
    """The name of the tensor after a number of layers."""
    norm = f"{_LAYER.format(layers - 1)}{_NORM}" if layers else "/embeddings/LayerNorm/Add_1"
    (output,) = (node.output[0] for node in model.graph.node if node.name == norm)
    return str(output)


@lru_cache(maxsize=1)
def _pretrained(name: str) -> ModelProto:
    model = EmbeddingModel.read(name)
    return load_from_string(read_shipped(model, model.weights))
