"""Runs a graph with ONNX Runtime, on one thread."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def open_session(model: bytes) -> InferenceSession:
    """Load a graph; on one thread, the order of sums is fixed.

    Args:
        model: content of an ONNX file with the weights inside.

    Raises:
        Exception: the content is not such a file; the library's errors have no other common class.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # it plans the memory anew for each length of a text
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run(model: bytes, output: str, inputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """One output of a graph; the last few graphs stay loaded.

    Args:
        model: content of an ONNX file with the weights inside.
        output: name of the output.
        inputs: by name.
    """
    (values,) = _session(model).run([output], inputs)
    return np.asarray(values, dtype=np.float32)


def input_lengths(model: bytes) -> dict[str, int | str | None]:
    """The length of the last dimension of each input; a name or None if it may have any.

    Raises:
        Exception: the content is no ONNX file; the library's errors have no other common class.
    """
    return {tensor.name: tensor.shape[-1] for tensor in _session(model).get_inputs()}


@lru_cache(maxsize=8)
def _session(model: bytes) -> InferenceSession:
    return open_session(model)
