"""Word vectors trained on a collection's own texts.

They factorise the matrix of positive pointwise mutual information of near words, which word2vec factorises implicitly
(Levy, Goldberg and Dagan 2015, Improving distributional similarity with lessons learned from word embeddings). Spark
sums integer counts, and the factorisation has a seed and one thread, so the vectors do not depend on the partitioning.
Spark's own Word2Vec does, even on one sorted partition, because it numbers words of equal frequency in the order of a
shuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.spark.arrow_rows import learn_in_one_task
from cqa_spark.text.comparison.vocabulary import Vocabulary, common_component
from cqa_spark.text.cooccurrence import COOCCURRENCES, cooccurrences, frequent_words

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

DIMENSIONS = 100
WINDOW = 5
RAREST = 5
"""Minimum number of occurrences of a word."""
MOST_WORDS = 20_000
"""Maximum number of words with vectors, which bounds the driver's memory."""
MOST_TEXTS = 100_000
"""Maximum number of texts for counting near words; those with the lowest keys, which are hashes."""

_SEED = 1
_CONTEXT_POWER = 0.75
"""Context distribution smoothing, which reduces the weight of rare neighbours (Levy et al. 2015, section 3.2)."""
_VALUE_POWER = 0.5
"""Exponent of the singular values (Levy et al. 2015, section 3.3)."""

_WORDS, _RECORD = "words.parquet", "trained_on.json"
_COLUMNS = pa.schema(
    [
        ("word", pa.string()),
        ("occurrences", pa.int64()),
        ("document_frequency", pa.int64()),
        ("vector", pa.list_(pa.float64())),
    ]
)


class TrainedOn(BaseModel):
    """The training texts of word vectors.

    Attributes:
        splits: splits of the texts.
        unit: the array column of the words.
        documents: number of texts.
        occurrences: number of words.
        sampled: number of texts whose near words were counted.
        common: the common component; see ``common_component``.
    """

    splits: list[str]
    unit: str
    documents: int
    occurrences: int
    sampled: int
    common: list[float]


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Vectors of the frequent words of a collection; at most ``MOST_WORDS`` rows, in the driver's memory.

    Attributes:
        words: one row per word, the most frequent first: ``word``, ``occurrences``, ``document_frequency``, ``vector``
            (of unit length).
        trained_on: description of the training texts.
    """

    words: pd.DataFrame
    trained_on: TrainedOn

    @classmethod
    def learn(cls, texts: DataFrame, unit: str, splits: Sequence[str]) -> Self:
        """Learn vectors, in one task, which holds 24 bytes for each pair of words that are near each other.

        Args:
            texts: the table ``texts``, one row per distinct text.
            unit: an array column of it, such as ``content_words``; its items are the words.
            splits: splits of the texts, for the record.
        """
        words = frequent_words(texts, unit, rarest=RAREST, most=MOST_WORDS).toPandas()
        sample = texts.orderBy("text_id").limit(MOST_TEXTS)
        numbers = {word: number for number, word in enumerate(words["word"])}
        near = cooccurrences(sample, unit, numbers, window=WINDOW)
        learn = partial(_vectors, words=len(words))
        learned = learn_in_one_task(near, ["one", "other"], learn, "vector array<double>")
        words = words.assign(vector=[row["vector"] for row in learned]).astype({"vector": object})  # also without words
        documents, occurrences = _size(texts, unit)
        common = common_component(Vocabulary.of(words, documents, occurrences), texts, unit)
        record = TrainedOn(
            splits=list(splits),
            unit=unit,
            documents=documents,
            occurrences=occurrences,
            sampled=min(documents, MOST_TEXTS),
            common=common.tolist(),
        )
        return cls(words, record)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary for comparing texts."""
        return Vocabulary.of(self.words, self.trained_on.documents, self.trained_on.occurrences)

    @cached_property
    def common(self) -> NDArray[np.float64]:
        """The common component of the texts."""
        return np.array(self.trained_on.common, dtype=np.float64)

    def save(self, folder: NewModelFolder) -> None:
        """Write the words as Parquet, and the description of the training texts as JSON."""
        folder.write_arrow(_WORDS, pa.Table.from_pandas(self.words, _COLUMNS).replace_schema_metadata())
        folder.write_json(_RECORD, self.trained_on)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the saved state."""
        return cls(folder.read_arrow(_WORDS, _COLUMNS).to_pandas(), folder.read_json(_RECORD, TrainedOn))


def _size(texts: DataFrame, unit: str) -> tuple[int, int]:
    """Number of texts, and number of words in all texts."""
    (size,) = texts.agg(F.count("*").alias("documents"), F.sum(F.size(unit)).alias("occurrences")).collect()
    return size["documents"], size["occurrences"] or 0


def _vectors(batches: Iterable[pa.RecordBatch], words: int) -> Iterator[pa.RecordBatch]:
    """The vector of every word, by number, from rows of ``cooccurrences``, sorted."""
    near = pa.Table.from_batches(batches, COOCCURRENCES).to_pandas()
    vectors = list(factorise(mutual_information(near, words)))
    yield pa.RecordBatch.from_pydict({"vector": pa.array(vectors, pa.list_(pa.float64()))})


def factorise(information: sparse.csr_matrix) -> NDArray[np.float64]:
    """Reduce the rows of a symmetric matrix to few dimensions and unit length; empty rows are 0."""
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    dimensions = min(DIMENSIONS, information.shape[0])
    if information.nnz == 0:
        return np.zeros((information.shape[0], dimensions))
    # One thread, because the order of sums, and thus the last digits, would depend on the number of cores.
    with threadpool_limits(1):
        left, values, _ = randomized_svd(information, dimensions, n_iter=4, random_state=_SEED)
        vectors = left * values**_VALUE_POWER
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def mutual_information(near: pd.DataFrame, words: int) -> sparse.csr_matrix:
    """Positive pointwise mutual information of words and their neighbours, with smoothed contexts.

    Args:
        near: ``one``, ``other``, ``times``, as ``cooccurrences`` counts them.
        words: number of words.
    """
    from scipy import sparse

    one, other, times = (near[name].to_numpy() for name in ("one", "other", "times"))
    shape = (words, words)
    # Pairs of a word with itself are counted from both sides, too.
    counts = sparse.coo_matrix((times, (one, other)), shape) + sparse.coo_matrix((times, (other, one)), shape)
    cells = counts.tocoo()
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    contexts = totals**_CONTEXT_POWER
    ratio = cells.data * contexts.sum() / (totals[cells.row] * contexts[cells.col])
    positive = ratio > 1
    return sparse.csr_matrix((np.log(ratio[positive]), (cells.row[positive], cells.col[positive])), shape)
