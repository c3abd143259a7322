"""The mean of pretrained word vectors."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cqa_spark.text.embedding.encoder import Vectors
from cqa_spark.text.embedding.model import EmbeddingModel

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
