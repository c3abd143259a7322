"""ONNX graphs: built from operators, cut into parts, and given other weights; imports ONNX, but not JAX."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, shape_inference
from onnx.utils import Extractor

Weights = dict[str, NDArray[np.float32]]

OPERATORS, _FORMAT = 14, 8
"""Versions of the operators and of the file format."""


class GraphBuilder:
    """Builds a graph of 32-bit floats, one operator after the other; tensors are referred to by their names.

    Args:
        like: a graph that this one will be joined with; None for no graph.
        prefix: start of the names of tensors, which must be unique in a joined graph.
    """

    def __init__(self, like: ModelProto | None = None, prefix: str = "") -> None:
        self._graph = helper.make_graph([], "network", [], [])
        self._operators = like.opset_import if like else [helper.make_operatorsetid("", OPERATORS)]
        self._prefix = prefix
        self._format = like.ir_version if like else _FORMAT

    @property
    def nodes(self) -> Sequence[NodeProto]:
        """The operators so far."""
        return self._graph.node

    def add_input(self, name: str, *shape: str | int) -> str:
        """A new input; named dimensions are of any length."""
        self._graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def add_weights(self, name: str, values: NDArray[np.float64]) -> str:
        """New weights with their initial values; weights with this name stay as they are."""
        if all(tensor.name != name for tensor in self._graph.initializer):
            self._graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def add_constant(self, value: float | Sequence[int]) -> str:
        """A number, or a list of axes or lengths; neither is trained."""
        values = np.float32(value) if isinstance(value, float) else np.array(value, dtype=np.int64)
        return self.apply("Constant", value=numpy_helper.from_array(np.asarray(values)))

    def apply(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """The output of an operator."""
        output = f"{self._prefix}{operator}_{len(self._graph.node)}"
        self._graph.node.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def build(self, **outputs: str) -> ModelProto:
        """The graph.

        Args:
            outputs: the tensor of each output, by the output's name.
        """
        for name, tensor in outputs.items():
            self._graph.node.append(helper.make_node("Identity", [tensor], [name]))
            self._graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        model = helper.make_model(self._graph, opset_imports=self._operators, ir_version=self._format)
        return shape_inference.infer_shapes(model, strict_mode=True)


def part(model: ModelProto, inputs: Sequence[str], outputs: Sequence[str]) -> ModelProto:
    """The part of a graph that computes some tensors from others, with its weights.

    Args:
        model: the graph.
        inputs: names of tensors.
        outputs: names of tensors.
    """
    return Extractor(shape_inference.infer_shapes(model)).extract_model(list(inputs), list(outputs))


def weights_of(model: ModelProto) -> Weights:
    """The weights of a graph, by name: its 32-bit floats, as only these are trained."""
    floats = (tensor for tensor in model.graph.initializer if tensor.data_type == TensorProto.FLOAT)
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in floats}


def with_weights(model: ModelProto, weights: Mapping[str, NDArray[np.float32]]) -> ModelProto:
    """A copy of a graph with other weights of the same shapes."""
    copy = ModelProto()
    copy.CopyFrom(model)
    for tensor in copy.graph.initializer:
        if tensor.name in weights:
            tensor.CopyFrom(numpy_helper.from_array(np.asarray(weights[tensor.name]), tensor.name))
    return copy
