"""Relevance of a comment by linear models on embeddings, with and without the question."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from threadpoolctl import threadpool_limits

from cqa_spark.features.arrays import Indices, Mask, Reals
from cqa_spark.features.embedding_group import MODEL, exact_vectors, load_version, save_version
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.spark.arrow_rows import learn_in_one_task
from cqa_spark.text.embedding.model import DIGITS, EmbeddingModel

PENALTY = 0.3
"""L2 penalty per training example; the best of four values in cross-validation on SemEval-2016."""

_SOURCE = "ours; Reimers and Gurevych 2019, Sentence-BERT, section 3: a classifier on both vectors and their product"
_WEIGHTS = "weights.npy"
_PAIR = ("site", "query_id", "candidate_id")
_VECTOR = pa.list_(pa.float32())
_ROWS = pa.schema([("fold", pa.int32()), ("relevant", pa.bool_()), ("asked_vector", _VECTOR), ("said_vector", _VECTOR)])
_LEARNED = "fold int, weights binary"
_ALL_FOLDS = -1
_MOST_CANDIDATES = 100_000


@dataclass(frozen=True, eq=False)
class Regression:
    """Weights of both regressions, and the version of the embedding model.

    Attributes:
        version: version of the embedding model.
        weights: shape (2, inputs): row 0 uses the comment alone, with weights of 0 for the products; row 1 uses both.
    """

    version: str
    weights: Reals


class SentenceQualityV1(FittedQueryGroup):
    """Ridge regression of relevance on the vector of the comment, and on its products with that of the question.

    Args:
        regression: the fitted weights.
    """

    name = "sentence_quality_v1"
    family = "quality"
    about = "relevance of the comment by linear models on sentence embeddings"
    entity = Entity.PAIR
    embeddings = (MODEL,)
    learns_from_labels = True
    columns = (
        FeatureColumn("comment", "relevance predicted from the comment, -1 to 1", _SOURCE),
        FeatureColumn("pair", "relevance predicted from the comment and its question, -1 to 1", _SOURCE),
    )

    def __init__(self, regression: Regression) -> None:
        self.regression = regression

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Fit the weights on the judged candidates, in one Spark job."""
        found = _learn(training)
        version = EmbeddingModel.read(MODEL).version
        of_fold = {fold: cls(Regression(version, weights)) for fold, weights in found.items()}
        return Fitted(of_fold[_ALL_FOLDS], tuple(of_fold[fold] for fold in range(training.folds)))

    def compute(self, batch: QueryBatch) -> Values:
        """Predict from the vectors of each pair."""
        inputs = _inputs(exact_vectors(batch), batch.query_text, batch.candidate_text)
        comment, pair = np.einsum("ij,kj->ki", inputs, self.regression.weights)
        return {"comment": comment, "pair": pair}

    def save(self, folder: NewModelFolder) -> None:
        """Write the weights, and the version of the embedding model."""
        save_version(folder, self.regression.version)
        folder.write_array(_WEIGHTS, self.regression.weights)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the weights."""
        shape = (2, 1 + 2 * EmbeddingModel.read(MODEL).dimension)
        return cls(Regression(load_version(folder), folder.read_array(_WEIGHTS, shape=shape)))


def ridge(inputs: Reals, relevant: Mask, fold: Indices, folds: int) -> dict[int, Reals]:
    """Weights of ridge regressions on all folds and on the complement of each; normal equations are summed per fold.

    Args:
        inputs: shape (examples, inputs); the first input is the constant 1, which is not penalised.
        relevant: the labels.
        fold: the fold of each example, from 0.
        folds: number of folds.

    Returns:
        Weights of shape (2, inputs) by excluded fold, -1 for none: on the first half of the inputs, and on all.
    """
    target = np.where(relevant, 1.0, -1.0)
    of_folds = [fold == number for number in range(folds)]
    products = [inputs[own].T @ inputs[own] for own in of_folds]
    moments = [inputs[own].T @ target[own] for own in of_folds]
    rests = {number: [each for each in range(folds) if each != number] for number in (_ALL_FOLDS, *range(folds))}
    return {
        number: _solve(
            np.sum([products[each] for each in rest], axis=0), np.sum([moments[each] for each in rest], axis=0)
        )
        for number, rest in rests.items()
    }


def _learn(training: TrainingData) -> dict[int, Reals]:
    """Weights by fold, learned in one task, which needs about 12 kB of memory per judged candidate."""
    inputs, folds = training.inputs, training.folds
    vectors = inputs.needed("embeddings").where(F.col("model") == MODEL)
    questions = inputs.documents.select("site", F.col("document_id").alias("query_id"), F.col("text_id").alias("asked"))
    rows = (
        training.judged_sample(_MOST_CANDIDATES)
        .join(questions, on=["site", "query_id"])
        .join(vectors.select("text_id", F.col("vector").alias("said_vector")), on="text_id")
        .join(vectors.select(F.col("text_id").alias("asked"), F.col("vector").alias("asked_vector")), on="asked")
        .select(*_PAIR, "fold", "relevant", "asked_vector", "said_vector")
    )

    def learn(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield _as_batch(batches, folds)

    learned = learn_in_one_task(rows, _PAIR, learn, _LEARNED)
    return {row["fold"]: np.frombuffer(row["weights"]).reshape(2, -1) for row in learned}


def _as_batch(batches: Iterable[pa.RecordBatch], folds: int) -> pa.RecordBatch:
    """The weights of each fold, from the rows of all batches."""
    rows = pa.Table.from_batches([batch.select(_ROWS.names).cast(_ROWS) for batch in batches], _ROWS)
    with threadpool_limits(1):
        found = _weights_of(rows, folds)
    weights = [each.tobytes() for each in found.values()]
    columns = [pa.array(list(found), pa.int32()), pa.array(weights, pa.binary())]
    return pa.RecordBatch.from_arrays(columns, names=["fold", "weights"])


def _weights_of(rows: pa.Table, folds: int) -> dict[int, Reals]:
    asked, said = (_matrix(rows.column(name)) for name in ("asked_vector", "said_vector"))
    vectors, places = np.concatenate([asked, said]), np.arange(rows.num_rows)
    inputs = _inputs(vectors, places, places + rows.num_rows)
    relevant = rows.column("relevant").to_numpy().astype(bool)
    return ridge(inputs, relevant, rows.column("fold").to_numpy().astype(np.int64), folds)


def _matrix(column: pa.ChunkedArray) -> Reals:
    components = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    exact = np.rint(components.astype(np.float64) * 10**DIGITS)
    return exact.reshape(len(column), EmbeddingModel.read(MODEL).dimension)


def _solve(products: Reals, moments: Reals) -> Reals:
    penalty = np.full(len(moments), PENALTY * products[0, 0])  # products of the constant input count the examples
    penalty[0] = 0
    penalised = products + np.diag(penalty)
    first = (len(moments) + 1) // 2
    weights = np.zeros((2, len(moments)))
    weights[0, :first] = np.linalg.lstsq(penalised[:first, :first], moments[:first], rcond=None)[0]
    weights[1] = np.linalg.lstsq(penalised, moments, rcond=None)[0]
    return weights


def _inputs(vectors: Reals, query: Indices, candidate: Indices) -> Reals:
    """The constant 1, the candidate's vector, and its products with the query's, scaled to about unit variance."""
    said = vectors[candidate] / 10**DIGITS * np.sqrt(vectors.shape[1])
    asked = vectors[query] / 10**DIGITS * np.sqrt(vectors.shape[1])
    return np.concatenate([np.ones((len(said), 1)), said, asked * said], axis=1)
