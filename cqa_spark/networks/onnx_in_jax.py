"""Evaluates an ONNX graph with JAX, which differentiates its outputs with respect to its weights.

Operators on shapes are evaluated by NumPy while JAX traces the graph, because JAX compiles for fixed shapes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, shape_inference
from onnx.utils import Extractor

from cqa_spark.errors import ContractError

Tensors = dict[str, Any]
"""Arrays of NumPy or JAX, by name."""

Attributes = Mapping[str, Any]


def evaluate(model: ModelProto, tensors: Mapping[str, Any], key: jax.Array | None = None) -> tuple[Tensors, Tensors]:
    """Compute the outputs of a graph.

    Args:
        model: the graph.
        tensors: inputs and weights, by name.
        key: random key of the dropout; None after training, for no dropout and running statistics of batches.

    Returns:
        The outputs, and the running statistics after this batch, which are weights that no gradient changes.

    Raises:
        ContractError: the graph has an operator that cannot be differentiated here.
    """
    numbers = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    values: Tensors = {**numbers, **tensors}
    statistics: Tensors = {}
    for number, node in enumerate(model.graph.node):
        inputs: list[Any] = [values[name] if name else None for name in node.input]
        if key is not None and node.op_type == "Dropout":
            output = _dropout(jax.random.fold_in(key, number), inputs[0], float(inputs[1]))
        elif key is not None and node.op_type == "BatchNormalization":
            output, moved = _normalised(node, *inputs)
            statistics |= dict(zip(node.input[3:], moved, strict=True))
        else:
            output = _operator(node)(_attributes(node), *inputs)
        values[node.output[0]] = output
    return {output.name: values[output.name] for output in model.graph.output}, statistics


def _attributes(node: NodeProto) -> Attributes:
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def _operator(node: NodeProto) -> Callable[..., Any]:
    if node.op_type not in _OPERATORS:
        raise ContractError(
            f"the graph has the operator {node.op_type}, which cannot be trained",
            f"export the network with these operators only: {', '.join(sorted(_OPERATORS))}",
        )
    return _OPERATORS[node.op_type]


def _library(*values: Any) -> Any:
    """NumPy for operators on shapes and constants, else JAX."""
    return np if all(isinstance(value, np.ndarray | np.generic) for value in values) else jnp


def _dropout(key: jax.Array, values: Any, rate: float) -> Any:
    remains = jax.random.bernoulli(key, 1 - rate, values.shape)
    return jnp.where(remains, values / (1 - rate), 0.0)


def _normalised(node: NodeProto, values: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    """The values normalised over the batch, and the running statistics."""
    attributes = _attributes(node)
    momentum = attributes.get("momentum", 0.9)
    of_batch = values.mean(axis=0), values.var(axis=0)
    output = _batch_normalization(attributes, values, scale, bias, *of_batch)
    return output, [momentum * old + (1 - momentum) * new for old, new in zip((mean, variance), of_batch, strict=True)]


def _batch_normalization(attributes: Attributes, values: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return scale * (values - mean) / jnp.sqrt(variance + attributes.get("epsilon", 1e-5)) + bias


def _product(attributes: Attributes, left: Any, right: Any) -> Any:
    if left.ndim > 2 and right.ndim == 2:
        # One large product is faster than a batch of small ones.
        return (left.reshape(-1, left.shape[-1]) @ right).reshape(*left.shape[:-1], right.shape[-1])
    return left @ right


def _reshaped(attributes: Attributes, values: Any, shape: Any) -> Any:
    lengths = [values.shape[axis] if length == 0 else int(length) for axis, length in enumerate(shape)]
    return values.reshape(lengths)


def _slice(attributes: Attributes, values: Any, starts: Any, ends: Any, axes: Any, steps: Any = None) -> Any:
    chosen = [slice(None)] * values.ndim
    strides = np.ones_like(starts) if steps is None else steps
    for axis, start, end, stride in zip(axes, starts, ends, strides, strict=True):
        chosen[int(axis)] = slice(int(start), int(end), int(stride))
    return values[tuple(chosen)]


def _convolution(attributes: Attributes, values: Any, filters: Any, biases: Any) -> Any:
    """One-dimensional, in steps of one."""
    before, after = attributes["pads"]
    return jax.lax.conv_general_dilated(values, filters, (1,), [(before, after)]) + biases[:, None]


def _lstm(attributes: Attributes, inputs: Any, weights: Any, recurrent: Any, biases: Any, lengths: Any) -> Any:
    """The states after each input, shape (inputs, directions, batch, nodes); 0 after the end of a sequence."""
    is_inside = (jnp.arange(len(inputs))[:, None] < lengths)[..., None]
    of_biases = biases.reshape(len(biases), 2, -1).sum(axis=1)

    def states(direction: int) -> Any:
        def step(state: Any, given: Any) -> Any:
            of_input, inside = given
            gates = jnp.split(of_input + state[0] @ recurrent[direction].T, 4, axis=1)
            write, read, keep = map(jax.nn.sigmoid, gates[:3])
            cell = jnp.where(inside, keep * state[1] + write * jnp.tanh(gates[3]), 0.0)
            return (read * jnp.tanh(cell), cell), read * jnp.tanh(cell)

        start = jnp.zeros((inputs.shape[1], recurrent.shape[2]))
        of_inputs = inputs @ weights[direction].T + of_biases[direction]
        return jax.lax.scan(step, (start, start), (of_inputs, is_inside), reverse=direction == 1)[1]

    return jnp.stack([states(direction) for direction in range(len(weights))], axis=1)


def _axes(attributes: Attributes, axes: Any) -> tuple[int, ...]:
    """Axes are an attribute in old versions of an operator, and an input in new ones."""
    return tuple(int(axis) for axis in (attributes["axes"] if axes is None else axes))


_OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": lambda attributes, left, right: left + right,
    "BatchNormalization": _batch_normalization,
    "Cast": lambda attributes, values: values.astype(helper.tensor_dtype_to_np_dtype(attributes["to"])),
    "Concat": lambda attributes, *values: _library(*values).concatenate(values, axis=attributes["axis"]),
    "Constant": lambda attributes: numpy_helper.to_array(attributes["value"]),
    "Conv": _convolution,
    "Div": lambda attributes, left, right: left / right,
    "Dropout": lambda attributes, values, rate: values,
    "Erf": lambda attributes, values: erf(values),
    "Gather": lambda attributes, values, at: _library(values, at).take(values, at, axis=attributes.get("axis", 0)),
    "Identity": lambda attributes, values: values,
    "LSTM": _lstm,
    "MatMul": _product,
    "Mul": lambda attributes, left, right: left * right,
    "Pow": lambda attributes, values, exponent: values**exponent,
    "ReduceMax": lambda attributes, values, axes=None: values.max(
        axis=_axes(attributes, axes), keepdims=bool(attributes.get("keepdims", 1))
    ),
    "ReduceMean": lambda attributes, values, axes=None: values.mean(
        axis=_axes(attributes, axes), keepdims=bool(attributes.get("keepdims", 1))
    ),
    "ReduceSum": lambda attributes, values, axes=None: values.sum(
        axis=_axes(attributes, axes), keepdims=bool(attributes.get("keepdims", 1))
    ),
    "Relu": lambda attributes, values: jnp.maximum(values, 0),
    "Reshape": _reshaped,
    "Shape": lambda attributes, values: np.array(values.shape, dtype=np.int64),
    "Slice": _slice,
    "Softmax": lambda attributes, values: jax.nn.softmax(values, axis=attributes.get("axis", -1)),
    "Squeeze": lambda attributes, values, axes: values.squeeze(_axes(attributes, axes)),
    "Sqrt": lambda attributes, values: _library(values).sqrt(values),
    "Sub": lambda attributes, left, right: left - right,
    "Tanh": lambda attributes, values: jnp.tanh(values),
    "Transpose": lambda attributes, values: values.transpose(attributes["perm"]),
    "Unsqueeze": lambda attributes, values, axes: _library(values).expand_dims(values, _axes(attributes, axes)),
}


# ONNX graphs: built from operators, cut into parts, and given other weights.

Weights = dict[str, NDArray[np.float32]]

OPERATORS, _FORMAT = 14, 8
"""Versions of the operators and of the file."""


class GraphBuilder:
    """Builds a graph of 32-bit floats, one operator after the other; tensors are referred to by their names.

    Args:
        like: a graph that this one will be joined with; None for no graph.
        prefix: of the names of tensors, which must be unique in a joined graph.
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
        """New weights with their initial values, or those that have the name."""
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
    """The weights of a graph, by name; numbers that are no 32-bit floats are not among them."""
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
