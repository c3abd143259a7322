"""Topic model of a collection, by latent Dirichlet allocation.

Blei, Ng and Jordan 2003, Latent Dirichlet allocation; fitted as in Hoffman, Blei and Bach 2010, Online learning for
latent Dirichlet allocation. One task fits the model on the texts in order of their keys, with a seed, so the topics do
not depend on the partitioning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.spark.frames import learn_in_one_task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import LatentDirichletAllocation

TOPICS = 50
RAREST = 5
"""Minimum document frequency of a term."""
MOST_COMMON = 0.5
"""Maximum share of the texts with a term; more frequent terms are ignored."""
MOST_TERMS = 10_000
MOST_TEXTS = 50_000
"""Maximum number of training texts; those with the lowest keys, which are hashes."""

_PASSES = 4
_BATCH = 0.1
"""Share of the texts in a mini-batch."""
_OFFSET, _DECAY = 10.0, 0.7
"""Parameters of the decreasing learning rate."""
_SEED = 1

_VOCABULARY, _WEIGHTS = "vocabulary.json", "topics.npy"
_TERMS = pa.list_(pa.string())
_UNKNOWN = -1
_LEARNED = "vocabulary array<string>, weights binary"


class _Vocabulary(BaseModel):
    """The content of ``vocabulary.json``."""

    terms: list[str]


@dataclass(frozen=True, eq=False)
class Topics:
    """A topic model.

    Attributes:
        vocabulary: the terms of the model.
        weights: weights of terms in topics, of shape (topics, terms).
    """

    vocabulary: list[str]
    weights: NDArray[np.float64]

    @classmethod
    def learn(cls, texts: DataFrame, unit: str) -> Self:
        """Fit the model in one Spark job, whose last task holds the sample in memory.

        Args:
            texts: ``text_id`` (a hash) and ``unit``, one row per text; long texts are more informative.
            unit: an array column; its items are the terms.
        """
        sample = texts.select("text_id", unit).orderBy("text_id").limit(MOST_TEXTS)

        def learn(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            topics = cls.of_texts(pa.chunked_array([batch.column(unit) for batch in batches], _TERMS))
            row = [pa.array([topics.vocabulary], _TERMS), pa.array([topics.weights.tobytes()], pa.binary())]
            yield pa.RecordBatch.from_arrays(row, names=["vocabulary", "weights"])

        (row,) = learn_in_one_task(sample, ["text_id"], learn, _LEARNED)
        return cls(list(row["vocabulary"]), np.frombuffer(row["weights"]).reshape(TOPICS, -1))

    @classmethod
    def of_texts(cls, texts: pa.ChunkedArray) -> Self:
        """Learn topics.

        Args:
            texts: lists of terms. If all terms are rare, the model is empty and no text has topics.
        """
        from sklearn.decomposition import LatentDirichletAllocation
        from threadpoolctl import threadpool_limits

        vocabulary = _vocabulary(texts)
        if not vocabulary:
            return cls([], np.empty((TOPICS, 0)))
        learner = LatentDirichletAllocation(
            n_components=TOPICS,
            learning_method="online",
            learning_decay=_DECAY,
            learning_offset=_OFFSET,
            max_iter=_PASSES,
            batch_size=max(1, ceil(_BATCH * len(texts))),
            random_state=_SEED,
        )
        with threadpool_limits(1):
            return cls(vocabulary, learner.fit(_count(texts, vocabulary)).components_)

    def shares(self, texts: pa.ChunkedArray) -> NDArray[np.float64]:
        """The topic shares of texts; the shares of a text do not depend on other texts in the call.

        Args:
            texts: lists of terms.

        Returns:
            Shape (texts, topics); the shares of a text sum to 1, and are NaN for a text without known terms.
        """
        from threadpoolctl import threadpool_limits

        counts = _count(texts, self.vocabulary)
        has_terms = np.diff(counts.indptr) > 0
        shares = np.full((len(texts), len(self.weights)), np.nan)
        if has_terms.any():
            with threadpool_limits(1):
                shares[has_terms] = self._model.transform(counts[has_terms])
        return shares

    def save(self, folder: NewModelFolder) -> None:
        """Write the vocabulary as JSON, and the weights as a NumPy array."""
        folder.write_json(_VOCABULARY, _Vocabulary(terms=self.vocabulary))
        folder.write_array(_WEIGHTS, self.weights)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the saved state."""
        vocabulary = folder.read_json(_VOCABULARY, _Vocabulary).terms
        return cls(vocabulary, folder.read_array(_WEIGHTS, shape=(None, len(vocabulary))))

    @cached_property
    def _model(self) -> LatentDirichletAllocation:
        """Scikit-learn's model of these weights."""
        from scipy.special import psi
        from sklearn.decomposition import LatentDirichletAllocation

        topics = len(self.weights)
        model = LatentDirichletAllocation(n_components=topics)
        model.components_ = self.weights
        model.exp_dirichlet_component_ = np.exp(psi(self.weights) - psi(self.weights.sum(axis=1, keepdims=True)))
        model.doc_topic_prior_ = 1 / topics
        return model


def _vocabulary(texts: pa.ChunkedArray) -> list[str]:
    """The terms that are neither too rare nor too frequent, the most frequent first, ties by spelling."""
    terms = texts.combine_chunks().flatten().dictionary_encode()
    numbers, spelled = terms.indices.to_numpy(), terms.dictionary.to_pylist()
    document_frequency = _counts(texts, numbers, len(spelled)).getnnz(axis=0).tolist()
    most = max(RAREST, MOST_COMMON * len(texts))
    by_frequency = []
    for term, frequency in zip(spelled, document_frequency, strict=True):
        if RAREST <= frequency <= most:
            by_frequency.append((-frequency, term))
    return [term for _, term in sorted(by_frequency)[:MOST_TERMS]]


def _count(texts: pa.ChunkedArray, vocabulary: Sequence[str]) -> csr_matrix:
    """Frequencies of the vocabulary's terms in each text."""
    terms = pa.array(vocabulary, pa.string())
    numbers = pc.index_in(texts.combine_chunks().flatten(), value_set=terms).fill_null(_UNKNOWN)
    return _counts(texts, numbers.to_numpy(), len(vocabulary))


def _counts(texts: pa.ChunkedArray, numbers: NDArray[np.int32], terms: int) -> csr_matrix:
    """Frequencies of term numbers in each text.

    Args:
        texts: lists of terms.
        numbers: the number of each term of all texts, or ``_UNKNOWN``.
        terms: number of different terms.
    """
    from scipy.sparse import csr_matrix

    text = pc.list_parent_indices(texts.combine_chunks()).to_numpy()  # the index of each term's text
    is_known = numbers != _UNKNOWN
    return csr_matrix((np.ones(is_known.sum()), (text[is_known], numbers[is_known])), shape=(len(texts), terms))
