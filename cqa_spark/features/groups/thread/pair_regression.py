"""Similarity of two sentences by the embeddings of each model, learned from labelled pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Reals
from cqa_spark.features.embedding_group import load_version, save_version
from cqa_spark.features.folds import fold_of
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.spark.arrow_rows import learn_in_one_task
from cqa_spark.text.embedding.model import EmbeddingModel

L2 = 0.3
"""L2 penalty per training pair, chosen by cross-validation on the training part of the STS Benchmark."""

_TAI = "Tai et al. 2015, Improved semantic representations from tree-structured LSTM networks, section 4.2"
_COSINE = FeatureColumn("cosine", "cosine of both embeddings", "Reimers and Gurevych 2019, Sentence-BERT, section 4.1")
_SIMILARITY = FeatureColumn(
    "similarity",
    "similarity predicted by a ridge regression on products and distances of the embeddings' components",
    _TAI,
)

_PAIR = ("site", "query_id", "candidate_id")
_ROWS_AT_A_TIME = 2048
_ALL_FOLDS = -1
_WEIGHTS = "weights.npy"


@dataclass(frozen=True, eq=False)
class PairRegression:
    """A ridge regression of the similarity of two texts on their embeddings.

    Attributes:
        weights: weights of the components' products and distances, then the intercept; empty without training pairs.
    """

    weights: Reals

    def similarity(self, one: NDArray[np.floating], other: NDArray[np.floating]) -> Reals:
        """The predicted similarity of each pair; NaN without vectors or training pairs."""
        if not self.weights.size:
            return np.full(len(one), np.nan)
        # Sum term by term, because the rounding of a matrix product may depend on the number of rows.
        return np.asarray(np.einsum("ij,j->i", _terms(one, other), self.weights))


class PairRegressionGroup(FittedQueryGroup):
    """Base class of groups that compare embeddings of one model.

    Args:
        regression: the fitted regression.
        version: version of the embedding model.
    """

    family = "similarity"
    entity = Entity.PAIR
    columns = (_COSINE, _SIMILARITY)
    learns_from_labels = True

    def __init__(self, regression: PairRegression, version: str) -> None:
        self.regression = regression
        self.version = version

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Fit on the training pairs with a known similarity: on all, and on the complement of each fold."""
        (model,) = cls.embeddings
        learned = training.derive(learn_regressions(model))
        version = EmbeddingModel.read(model).version
        return Fitted(cls(learned.on_all, version), tuple(cls(each, version) for each in learned.on_rests))

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text has no vector."""
        (model,) = self.embeddings
        vectors = batch.texts.vectors(model)
        one, other = vectors[batch.query_text], vectors[batch.candidate_text]
        return {
            _COSINE.name: (one * other).sum(axis=1, dtype=np.float64),
            _SIMILARITY.name: self.regression.similarity(one, other),
        }

    def save(self, folder: NewModelFolder) -> None:
        """Write the weights as a NumPy array, and the version of the embedding model."""
        save_version(folder, self.version, self.embeddings[0])
        folder.write_array(_WEIGHTS, self.regression.weights)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the weights and compare the version."""
        version = load_version(folder, cls.embeddings[0])
        return cls(PairRegression(folder.read_array(_WEIGHTS, shape=(None,))), version)


@cache
def learn_regressions(model: str) -> Callable[[TrainingData], Fitted[PairRegression]]:
    """Returns a function that fits regressions on the embeddings of training pairs, in one Spark job.

    Its last task sums the normal equations of each fold; the regression that excludes a fold solves the sum over the
    others.
    """

    def learn(training: TrainingData) -> Fitted[PairRegression]:
        inputs, folds = training.inputs, training.folds
        vectors = inputs.needed("embeddings").where(F.col("model") == model).select("text_id", "vector")
        texts = inputs.documents.join(vectors, on="text_id").select("site", "document_id", "vector")
        pairs = (
            inputs.examples.where(F.col("similarity").isNotNull())
            .withColumn("fold", fold_of(folds).cast("int"))
            .join(texts.toDF("site", "query_id", "one"), on=["site", "query_id"])
            .join(texts.toDF("site", "candidate_id", "other"), on=["site", "candidate_id"])
            .select(*_PAIR, "fold", "similarity", "one", "other")
        )

        def solve(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            solved = solve_by_fold(map(_pairs_of, batches), folds)
            weights = pa.array([of_fold.tobytes() for of_fold in solved.values()], pa.binary())
            yield pa.RecordBatch.from_arrays([pa.array(list(solved), pa.int32()), weights], names=["fold", "weights"])

        rows = learn_in_one_task(pairs, _PAIR, solve, "fold int, weights binary")
        found = {row["fold"]: PairRegression(np.frombuffer(row["weights"])) for row in rows}
        return Fitted(found[_ALL_FOLDS], tuple(found[fold] for fold in range(folds)))

    return learn


@dataclass(frozen=True)
class TrainingPairs:
    """Training pairs: embeddings of shape (pairs, dimension), similarities and folds of shape (pairs,)."""

    one: NDArray[np.floating]
    other: NDArray[np.floating]
    similarity: Reals
    fold: NDArray[np.int32]


def solve_by_fold(batches: Iterable[TrainingPairs], folds: int) -> dict[int, Reals]:
    """The weights of a ridge regression on all pairs, under the key -1, and on the complement of each fold.

    Args:
        batches: the pairs, in order.
        folds: number of folds.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        equations = [_Equations() for _ in range(folds)]
        for pairs in batches:
            for fold in range(folds):
                chosen = np.flatnonzero(pairs.fold == fold)
                for start in range(0, len(chosen), _ROWS_AT_A_TIME):
                    rows = chosen[start : start + _ROWS_AT_A_TIME]
                    equations[fold] += _Equations.of(_terms(pairs.one[rows], pairs.other[rows]), pairs.similarity[rows])
        rests = {_ALL_FOLDS: equations} | {
            fold: [each for other, each in enumerate(equations) if other != fold] for fold in range(folds)
        }
        return {fold: sum(rest, _Equations()).solve() for fold, rest in rests.items()}


@dataclass(frozen=True)
class _Equations:
    """Normal equations of a least-squares problem; additive over rows."""

    squares: Reals | float = 0.0
    products: Reals | float = 0.0
    rows: int = 0

    @classmethod
    def of(cls, terms: Reals, values: Reals) -> Self:
        return cls(terms.T @ terms, terms.T @ values, len(values))

    def __add__(self, other: Self) -> _Equations:
        return _Equations(self.squares + other.squares, self.products + other.products, self.rows + other.rows)

    def solve(self) -> Reals:
        """The weights; the intercept is last and not penalised. Empty without rows."""
        if not self.rows:
            return np.zeros(0)
        squares = np.asarray(self.squares)
        penalty = np.full(len(squares), L2 * self.rows)
        penalty[-1] = 0
        found: Reals = np.linalg.solve(squares + np.diag(penalty), np.asarray(self.products))
        return found


def _terms(one: NDArray[np.floating], other: NDArray[np.floating]) -> Reals:
    """Products and distances of the components, scaled to be independent of the dimension, and the constant 1."""
    scale = np.sqrt(one.shape[1])
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return np.hstack([scale * first * second, scale * np.abs(first - second), np.ones((len(first), 1))])


def _pairs_of(batch: pa.RecordBatch) -> TrainingPairs:
    one, other = (
        batch.column(name).flatten().to_numpy(zero_copy_only=False).reshape(batch.num_rows, -1)
        for name in ("one", "other")
    )
    return TrainingPairs(one, other, batch.column("similarity").to_numpy(), batch.column("fold").to_numpy())


class BgePairRegressionV1(PairRegressionGroup):
    """Embeddings of BGE small, for English."""

    name = "bge_pair_regression_v1"
    about = "similarity of two sentences by their embeddings of BGE small, learned from labelled pairs"
    embeddings = ("bge_small_en",)


class E5PairRegressionV1(PairRegressionGroup):
    """Embeddings of E5 small, for English."""

    name = "e5_pair_regression_v1"
    about = "similarity of two sentences by their embeddings of E5 small, learned from labelled pairs"
    embeddings = ("e5_small",)


class MinilmPairRegressionV1(PairRegressionGroup):
    """Embeddings of MiniLM, for English."""

    name = "minilm_pair_regression_v1"
    about = "similarity of two sentences by their embeddings of MiniLM, learned from labelled pairs"
    embeddings = ("minilm",)


class UsePairRegressionV1(PairRegressionGroup):
    """Embeddings of the multilingual Universal Sentence Encoder: the two sentences may be in different languages."""

    name = "use_pair_regression_v1"
    about = (
        "similarity of two sentences in 16 languages by their embeddings of the multilingual Universal Sentence "
        "Encoder, learned from labelled pairs"
    )
    embeddings = ("use_multilingual",)
