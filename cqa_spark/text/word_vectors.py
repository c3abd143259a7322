"""Word vectors that are learned from a collection's own texts.

Positive pointwise mutual information of words that occur near each other, with its dimensions reduced (Levy, Goldberg
and Dagan 2015, Improving distributional similarity with lessons learned from word embeddings): what word2vec
approximates, factorised outright. Counts are integers that Spark adds up, and the factorisation has a seed and one
thread: the same texts give the same vectors to the last bit, however they were spread. Spark's own Word2Vec has no such
property, even on one sorted partition: it numbers words of equal frequency in the order in which a shuffle delivers
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.text.comparison.vocabulary import Vocabulary, common_component
from cqa_spark.text.neighbours import frequent_words, neighbours

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

DIMENSIONS = 100
WINDOW = 5
RAREST = 5
"""Occurrences that a word needs for a vector."""
MOST_WORDS = 20_000
"""The most frequent words have vectors: bounds what the driver holds."""
MOST_TEXTS = 100_000
"""Near words are counted in so many texts at most: those of the lowest keys, which are hashes, so a fair sample."""

_SEED = 1
_CONTEXT_POWER = 0.75
"""Makes rare neighbours count less (Levy et al. 2015, section 3.2)."""
_VALUE_POWER = 0.5
"""How much strong dimensions outweigh weak ones (Levy et al. 2015, section 3.3)."""

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
    """What word vectors were learned from.

    Attributes:
        splits: where the texts come from.
        unit: the array column that holds the words.
        documents: texts.
        occurrences: words in all.
        sampled: texts whose near words were counted.
        common: what all texts say; see ``common_component``.
    """

    splits: list[str]
    unit: str
    documents: int
    occurrences: int
    sampled: int
    common: list[float]


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Vectors of the frequent words of a collection; at most ``MOST_WORDS`` rows, so the driver holds them.

    Attributes:
        words: one row a word, the most frequent first: ``word``, ``occurrences`` (in the texts),
            ``document_frequency`` (texts that hold it), ``vector`` (array of length 1).
        trained_on: what they were learned from.
    """

    words: pd.DataFrame
    trained_on: TrainedOn

    @classmethod
    def learn(cls, texts: DataFrame, unit: str, splits: Sequence[str]) -> Self:
        """Learn vectors.

        Args:
            texts: the table ``texts``, one row per distinct text.
            unit: an array column of it, such as ``content_words``; its items are the words.
            splits: where the texts come from, for the record.
        """
        words = frequent_words(texts, unit, rarest=RAREST, most=MOST_WORDS).toPandas()
        sample = texts.orderBy("text_id").limit(MOST_TEXTS)
        numbers = {word: number for number, word in enumerate(words["word"])}
        near = neighbours(sample, unit, numbers, window=WINDOW).toPandas().sort_values(["one", "other"])
        words = words.assign(vector=list(factorise(mutual_information(near, len(words)))))
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
        """What comparing texts needs of the words."""
        return Vocabulary.of(self.words, self.trained_on.documents, self.trained_on.occurrences)

    @cached_property
    def common(self) -> NDArray[np.float64]:
        """The common component of the texts."""
        return np.array(self.trained_on.common, dtype=np.float64)

    def save(self, folder: NewModelFolder) -> None:
        """Write the words as Parquet, and what they were learned from as JSON."""
        folder.write_arrow(_WORDS, pa.Table.from_pandas(self.words, _COLUMNS).replace_schema_metadata())
        folder.write_json(_RECORD, self.trained_on)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read what ``save`` wrote."""
        return cls(folder.read_arrow(_WORDS, _COLUMNS).to_pandas(), folder.read_json(_RECORD, TrainedOn))


def _size(texts: DataFrame, unit: str) -> tuple[int, int]:
    """Texts, and words of all texts."""
    (size,) = texts.agg(F.count("*").alias("documents"), F.sum(F.size(unit)).alias("occurrences")).collect()
    return size["documents"], size["occurrences"] or 0


def factorise(information: sparse.csr_matrix) -> NDArray[np.float64]:
    """The rows of a symmetric matrix in few dimensions, each of length 1, or 0 where the row holds nothing."""
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    dimensions = min(DIMENSIONS, information.shape[0])
    if information.nnz == 0:
        return np.zeros((information.shape[0], dimensions))
    # More threads add up in another order, and the last digits of the vectors would depend on the machine's cores.
    with threadpool_limits(1):
        left, values, _ = randomized_svd(information, dimensions, n_iter=4, random_state=_SEED)
        vectors = left * values**_VALUE_POWER
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def mutual_information(near: pd.DataFrame, words: int) -> sparse.csr_matrix:
    """Positive pointwise mutual information of words and their neighbours, with smoothed contexts.

    Args:
        near: ``one``, ``other``, ``times``, as ``neighbours`` counts them.
        words: how many words there are.
    """
    from scipy import sparse

    one, other, times = (near[name].to_numpy() for name in ("one", "other", "times"))
    shape = (words, words)
    # A word that is its own neighbour is counted from both sides too.
    counts = sparse.coo_matrix((times, (one, other)), shape) + sparse.coo_matrix((times, (other, one)), shape)
    found = counts.tocoo()
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    contexts = totals**_CONTEXT_POWER
    ratio = found.data * contexts.sum() / (totals[found.row] * contexts[found.col])
    positive = ratio > 1
    return sparse.csr_matrix((np.log(ratio[positive]), (found.row[positive], found.col[positive])), shape)
