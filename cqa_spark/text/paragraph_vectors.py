"""Paragraph vectors (doc2vec), trained on a collection's own texts with gensim.

The model is a distributed bag of words with negative sampling and joint training of word vectors (Le and Mikolov 2014,
Distributed Representations of Sentences and Documents; Lau and Baldwin 2016, An Empirical Evaluation of doc2vec).
Vectors are always inferred, even for training texts. Training and inference have seeds and use one thread, so results
are reproducible on a given machine.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.process.failures import require_extra
from cqa_spark.spark.frames import learn_in_one_task

DIMENSIONS = 100
MOST_TEXTS = 100_000
"""Maximum number of training texts, which bounds the memory of a task; those with the lowest keys, which are hashes."""

_SEED = 1
_RATE, _LAST_RATE = 0.05, 1e-4
_INFERENCE_RATE, _INFERENCE_EPOCHS = 0.01, 100
_SETTINGS = {
    "vector_size": DIMENSIONS,
    "dm": 0,
    "dbow_words": 1,
    "negative": 5,
    "window": 3,
    "min_count": 5,
    "sample": 1e-5,
    "alpha": _RATE,
    "min_alpha": _LAST_RATE,
    "epochs": 20,
    "workers": 1,
    "seed": _SEED,
}
"""As in Xu et al. 2018, note 8, except for 100 dimensions, not 200, and 100 inference epochs, not 500."""

_WORDS, _OUTPUT = "words.parquet", "output.npy"
_COLUMNS = pa.schema([("word", pa.string()), ("occurrences", pa.int64())])
_LEARNED = "word string, occurrences bigint, output array<float>"

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ParagraphVectors:
    """A trained model for inferring vectors of texts.

    Attributes:
        words: the vocabulary, the most frequent words first.
        occurrences: occurrences of each word in the training texts.
        output: output weights of the network, shape (words, dimensions).
    """

    words: tuple[str, ...]
    occurrences: tuple[int, ...]
    output: Reals

    @classmethod
    def learn(cls, texts: DataFrame, unit: str) -> Self:
        """Learn from texts, in one task.

        Args:
            texts: the table ``texts``, one row per distinct text.
            unit: an array column of it, such as ``words``.

        Raises:
            EnvironmentProblem: gensim is not installed.
        """
        require_extra("neural", ["gensim"], "learning paragraph vectors")
        sample = texts.orderBy("text_id").limit(MOST_TEXTS).select("text_id", unit)
        learned = learn_in_one_task(sample, ["text_id"], partial(_learn, unit=unit), _LEARNED)
        words, occurrences = (tuple(row[name] for row in learned) for name in _COLUMNS.names)
        output = np.array([row["output"] for row in learned], dtype=np.float64)
        return cls(words, occurrences, output.reshape(len(words), DIMENSIONS))

    def infer(self, texts: Sequence[Sequence[str]]) -> Reals:
        """The vectors of texts, shape (texts, dimensions); NaN for a text without known words.

        Args:
            texts: words of each text.

        Raises:
            EnvironmentProblem: gensim is not installed.
        """
        return np.array([self._infer(words) for words in texts], dtype=np.float64).reshape(len(texts), DIMENSIONS)

    def save(self, folder: NewModelFolder) -> None:
        """Write the words as Parquet, and the weights as an array."""
        rows = pa.table({"word": self.words, "occurrences": self.occurrences}, schema=_COLUMNS)
        folder.write_arrow(_WORDS, rows)
        folder.write_array(_OUTPUT, self.output)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the model."""
        rows = folder.read_arrow(_WORDS, _COLUMNS)
        output = folder.read_array(_OUTPUT, (rows.num_rows, DIMENSIONS))
        return cls(tuple(rows["word"].to_pylist()), tuple(rows["occurrences"].to_pylist()), output)

    def _infer(self, words: Sequence[str]) -> Reals:
        """Gradient steps on the text's vector from 0; gensim would start from a hash that differs between processes."""
        in_vocabulary = [word for word in words if word in self._vocabulary]
        if not in_vocabulary:
            return np.full(DIMENSIONS, np.nan)
        from gensim.models.doc2vec import train_document_dbow

        model, vector = self._model, np.zeros((1, DIMENSIONS), dtype=np.float32)
        model.random.seed(_SEED)
        for rate in np.linspace(_INFERENCE_RATE, _LAST_RATE, _INFERENCE_EPOCHS):
            train_document_dbow(
                model, in_vocabulary, [0], rate, learn_words=False, learn_hidden=False, doctag_vectors=vector,
                doctags_lockf=np.ones(1, dtype=np.float32),
            )  # fmt: skip
        return vector[0].astype(np.float64)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def _model(self) -> Any:
        """The trained model as an object of gensim."""
        require_extra("neural", ["gensim"], "inferring paragraph vectors")
        from gensim.models.doc2vec import Doc2Vec

        model = Doc2Vec(**_SETTINGS)
        model.build_vocab_from_freq(dict(zip(self.words, self.occurrences, strict=True)))
        numbers = {word: number for number, word in enumerate(self.words)}
        # gensim has its own order of words with equal frequency.
        order = np.array([numbers[word] for word in model.wv.index_to_key], dtype=np.int64)
        model.syn1neg = self.output[order].astype(np.float32)
        return model


def _learn(batches: Iterable[pa.RecordBatch], unit: str) -> Iterator[pa.RecordBatch]:
    """The words of the model, with their occurrences and output weights, learned from texts in order."""
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    texts = (words for batch in batches for words in batch.column(unit).to_pylist())
    documents = [TaggedDocument(words, [number]) for number, words in enumerate(texts)]
    model = Doc2Vec(**_SETTINGS)
    model.build_vocab(documents)
    words = model.wv.index_to_key
    if words:
        model.train(documents, total_examples=model.corpus_count, epochs=model.epochs)
        occurrences = [int(model.wv.get_vecattr(word, "count")) for word in words]
        output = pa.array(list(model.syn1neg), pa.list_(pa.float32()))
        yield pa.RecordBatch.from_arrays([pa.array(words), pa.array(occurrences), output], [*_COLUMNS.names, "output"])
