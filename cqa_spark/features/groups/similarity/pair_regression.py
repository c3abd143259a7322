"""Similarity of two sentences by the embeddings of a model, learned from labelled pairs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.similarity.embedding_similarity import EmbeddingRegressionGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import (
    Fitted,
    NormalEquations,
    TrainingData,
    fold_of,
    learn_by_fold,
    sample_queries,
    solve_by_fold,
)

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
_MOST_PAIRS = 200_000


class PairRegressionGroup(EmbeddingRegressionGroup):
    """Base class of groups that compare embeddings of one model.

    The weights are those of the components' products and distances, then the intercept; empty without training pairs.
    """

    family = "similarity"
    entity = Entity.PAIR
    columns = (_COSINE, _SIMILARITY)

    @classmethod
    def learn(cls, training: TrainingData) -> Fitted[Reals]:
        """Fit on the training pairs with a known similarity, in one Spark job."""
        return learn_weights(training, cls.embeddings[0])

    @classmethod
    def shape(cls) -> tuple[int | None, ...]:
        """One dimension."""
        return (None,)

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text has no vector."""
        vectors = batch.texts.vectors(self.embeddings[0])
        first, second = vectors[batch.query_text], vectors[batch.candidate_text]
        return {
            _COSINE.name: (first * second).sum(axis=1, dtype=np.float64),
            _SIMILARITY.name: similarity(self.weights, first, second),
        }


def similarity(weights: Reals, first: NDArray[np.floating], second: NDArray[np.floating]) -> Reals:
    """The similarity of each pair that a regression predicts; NaN without vectors or weights."""
    if not weights.size:
        return np.full(len(first), np.nan)
    # Sum term by term, because the rounding of a matrix product may depend on the number of rows.
    return np.asarray(np.einsum("ij,j->i", _terms(first, second), weights))


def learn_weights(training: TrainingData, model: str) -> Fitted[Reals]:
    """Fit ridge regressions on the embeddings of training pairs, in one Spark job."""
    inputs, folds = training.inputs, training.folds
    vectors = inputs.needed("embeddings").where(F.col("model") == model).select("text_id", "vector")
    texts = inputs.documents.join(vectors, on="text_id").select("site", "document_id", "vector")
    judged = inputs.examples.where(F.col("similarity").isNotNull())
    pairs = (
        sample_queries(judged, _MOST_PAIRS, judged.count())
        .withColumn("fold", fold_of(folds).cast("int"))
        .join(texts.toDF("site", "query_id", "first"), on=["site", "query_id"])
        .join(texts.toDF("site", "candidate_id", "second"), on=["site", "candidate_id"])
        .select(*_PAIR, "fold", "similarity", "first", "second")
    )
    return learn_by_fold(pairs, _PAIR, lambda batches: ridge(map(_pairs_of, batches), folds))


@dataclass(frozen=True)
class TrainingPairs:
    """Training pairs: embeddings of shape (pairs, dimension), similarities and folds of shape (pairs,)."""

    first: NDArray[np.floating]
    second: NDArray[np.floating]
    similarity: Reals
    fold: NDArray[np.int32]


def ridge(batches: Iterable[TrainingPairs], folds: int) -> Fitted[Reals]:
    """The weights of ridge regressions on all pairs, and on the complement of each fold.

    Args:
        batches: the pairs, in order.
        folds: number of folds.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        equations = [NormalEquations()] * folds
        for pairs in batches:
            for fold in range(folds):
                in_fold = np.flatnonzero(pairs.fold == fold)
                for start in range(0, len(in_fold), _ROWS_AT_A_TIME):
                    rows = in_fold[start : start + _ROWS_AT_A_TIME]
                    terms = _terms(pairs.first[rows], pairs.second[rows])
                    equations[fold] += NormalEquations.of(terms, pairs.similarity[rows])
        return solve_by_fold(equations, _solve)


def _solve(equations: NormalEquations) -> Reals:
    """The weights; the intercept is last and not penalised. Empty without rows."""
    if not equations.rows:
        return np.zeros(0)
    squares = np.asarray(equations.squares)
    penalty = np.full(len(squares), L2 * equations.rows)
    penalty[-1] = 0
    weights: Reals = np.linalg.solve(squares + np.diag(penalty), np.asarray(equations.products))
    return weights


def _terms(first: NDArray[np.floating], second: NDArray[np.floating]) -> Reals:
    """Products and distances of the components, scaled to be independent of the dimension, and the constant 1."""
    scale = np.sqrt(first.shape[1])
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    return np.hstack([scale * first * second, scale * np.abs(first - second), np.ones((len(first), 1))])


def _pairs_of(batch: pa.RecordBatch) -> TrainingPairs:
    first, second = (
        batch.column(name).flatten().to_numpy(zero_copy_only=False).reshape(batch.num_rows, -1)
        for name in ("first", "second")
    )
    return TrainingPairs(first, second, batch.column("similarity").to_numpy(), batch.column("fold").to_numpy())


class BgePairRegressionV1(PairRegressionGroup):
    """Embeddings of BGE small, for English."""

    name = "bge_pair_regression_v1"
    about = "similarity of two sentences by their embeddings of BGE small, learned from labelled pairs"
    embeddings = ("bge_small_en",)


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


class E5PairRegressionV1(PairRegressionGroup):
    """Embeddings of multilingual E5 small: the two sentences may be in different languages."""

    name = "e5_pair_regression_v1"
    about = (
        "similarity of two sentences in about 100 languages by their embeddings of multilingual E5 small, learned from "
        "labelled pairs"
    )
    embeddings = ("multilingual_e5_small",)
