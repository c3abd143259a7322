"""Hashed character n-grams within words, weighted by rarity; they need no language-specific analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.spark.frames import learn_in_one_task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

SHORTEST, LONGEST = 2, 4
"""Lengths of n-grams; words are padded by a blank on both sides."""

BUCKETS = 2**18
_COUNTS, _DOCUMENTS = "holding.npy", "documents.npy"
_COUNTED = "documents long, document_frequency binary"


@dataclass(frozen=True, eq=False)
class CharacterRuns:
    """Document frequencies of character n-grams in a collection.

    Attributes:
        document_frequency: number of texts with an n-gram of a bucket; shape (``BUCKETS``,).
        documents: number of texts.
    """

    document_frequency: NDArray[np.float64]
    documents: int

    @classmethod
    def of(cls, texts: DataFrame) -> Self:
        """Count a collection in one Spark job. A task adds up the counts of all partitions, of 2 MB each.

        Args:
            texts: the table ``texts``, one row per distinct text.
        """
        counted = texts.select("clean").mapInArrow(_count, _COUNTED)
        (total,) = learn_in_one_task(counted, ["documents"], _add_up, _COUNTED)
        return cls(np.frombuffer(total["document_frequency"], np.int64).astype(np.float64), int(total["documents"]))

    def weigh(self, texts: Sequence[str]) -> csr_matrix:
        """Tf-idf vectors of unit length, one row per text: 1 + ln(frequency), times the smooth idf."""
        from sklearn.preprocessing import normalize

        runs = count_runs(texts)
        idf = np.log((1 + self.documents) / (1 + self.document_frequency)) + 1
        runs.data = (1 + np.log(runs.data)) * idf[runs.indices]
        return normalize(runs, copy=False)

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts as NumPy arrays."""
        folder.write_array(_COUNTS, self.document_frequency)
        folder.write_array(_DOCUMENTS, np.array([float(self.documents)]))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the counts."""
        (documents,) = folder.read_array(_DOCUMENTS, shape=(1,))
        return cls(folder.read_array(_COUNTS, shape=(BUCKETS,)), int(documents))


def count_runs(texts: Sequence[str]) -> csr_matrix:
    """Count the lower-case character n-grams of each text.

    Returns:
        Shape (texts, ``BUCKETS``), with sorted indices.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import HashingVectorizer

    if not texts:
        return csr_matrix((0, BUCKETS))
    vectorizer = HashingVectorizer(
        analyzer="char_wb", ngram_range=(SHORTEST, LONGEST), n_features=BUCKETS, norm=None, alternate_sign=False
    )
    counts = vectorizer.transform(texts)
    counts.sort_indices()
    return counts


def _count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count the texts of a partition, and for each bucket the texts that have it."""
    documents, frequency = 0, np.zeros(BUCKETS, np.int64)
    for batch in batches:
        documents += batch.num_rows
        runs = count_runs([text or "" for text in batch.column("clean").to_pylist()])
        frequency += np.bincount(runs.indices, minlength=BUCKETS)  # a row has each of its buckets once
    yield _counted(documents, frequency)


def _add_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add up the counts of all partitions."""
    documents, frequency = 0, np.zeros(BUCKETS, np.int64)
    for batch in batches:
        documents += sum(batch.column("documents").to_pylist())
        for counts in batch.column("document_frequency"):
            frequency += np.frombuffer(counts.as_buffer(), np.int64)
    yield _counted(documents, frequency)


def _counted(documents: int, frequency: NDArray[np.int64]) -> pa.RecordBatch:
    stored = pa.array([frequency.tobytes()], pa.binary())
    return pa.RecordBatch.from_pydict({"documents": [documents], "document_frequency": stored})
