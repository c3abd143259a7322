"""Evaluates an ONNX graph with JAX, which differentiates its outputs with respect to its weights.

Operators on shapes are evaluated by NumPy while JAX traces the graph, because JAX compiles for fixed shapes.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from onnx import ModelProto, helper, numpy_helper

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
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        if key is not None and node.op_type == "Dropout":
            features, rate = inputs[0], float(inputs[1])
            is_kept = jax.random.bernoulli(jax.random.fold_in(key, number), 1 - rate, features.shape)
            output = jnp.where(is_kept, features / (1 - rate), 0.0)
        elif key is not None and node.op_type == "BatchNormalization":
            # The batch is normalised by its own statistics, towards which the running ones move.
            features, scale, bias, *running = inputs
            batch = features.mean(axis=0), features.var(axis=0)
            output = _batch_normalization(attributes, features, scale, bias, *batch)
            momentum = attributes.get("momentum", 0.9)
            for name, old, new in zip(node.input[3:], running, batch, strict=True):
                statistics[name] = momentum * old + (1 - momentum) * new
        elif node.op_type in _OPERATORS:
            output = _OPERATORS[node.op_type](attributes, *inputs)
        else:
            raise ContractError(
                f"the graph has the operator {node.op_type}, which cannot be trained",
                f"export the network with these operators only: {', '.join(sorted(_OPERATORS))}",
            )
        values[node.output[0]] = output
    return {output.name: values[output.name] for output in model.graph.output}, statistics


def _library(*values: Any) -> Any:
    """NumPy for operators on shapes and constants, else JAX."""
    return np if all(isinstance(value, np.ndarray | np.generic) for value in values) else jnp


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
    slices = [slice(None)] * values.ndim
    strides = np.ones_like(starts) if steps is None else steps
    for axis, start, end, stride in zip(axes, starts, ends, strides, strict=True):
        slices[int(axis)] = slice(int(start), int(end), int(stride))
    return values[tuple(slices)]


def _convolution(attributes: Attributes, values: Any, filters: Any, biases: Any) -> Any:
    """One-dimensional, in steps of one."""
    before, after = attributes["pads"]
    return jax.lax.conv_general_dilated(values, filters, (1,), [(before, after)]) + biases[:, None]


def _lstm(attributes: Attributes, inputs: Any, weights: Any, recurrent: Any, biases: Any, lengths: Any) -> Any:
    """The states after each input, shape (inputs, directions, batch, nodes); 0 after the end of a sequence."""
    # By direction, forward and backward: weights (4 nodes, inputs), recurrent (4 nodes, nodes), and biases, first
    # for the inputs, then for the states. ONNX orders the gates as input, output, forget and cell.
    summed_biases = biases.reshape(len(biases), 2, -1).sum(axis=1)
    is_inside = (jnp.arange(len(inputs))[:, None] < lengths)[..., None]  # shape (inputs, batch, 1)

    def states(direction: int) -> Any:
        def step(state: Any, current: Any) -> Any:
            hidden, memory = state  # each of shape (batch, nodes)
            projected, is_word = current
            gates = jnp.split(projected + hidden @ recurrent[direction].T, 4, axis=1)
            write, read, keep = map(jax.nn.sigmoid, gates[:3])
            memory = jnp.where(is_word, keep * memory + write * jnp.tanh(gates[3]), 0.0)
            hidden = read * jnp.tanh(memory)
            return (hidden, memory), hidden

        start = jnp.zeros((inputs.shape[1], recurrent.shape[2]))
        projections = inputs @ weights[direction].T + summed_biases[direction]
        return jax.lax.scan(step, (start, start), (projections, is_inside), reverse=direction == 1)[1]

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
    "Gather": lambda attributes, values, indices: _library(values, indices).take(
        values, indices, axis=attributes.get("axis", 0)
    ),
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
