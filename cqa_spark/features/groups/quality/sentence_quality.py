"""Relevance of a comment by linear models on embeddings, with and without the question."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from threadpoolctl import threadpool_limits

from cqa_spark.features.arrays import Indices, Mask, Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.similarity.embedding_similarity import MODEL, EmbeddingRegressionGroup, exact_vectors
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, NormalEquations, TrainingData, learn_by_fold, solve_by_fold
from cqa_spark.text.encoders.model import DIGITS, EmbeddingModel

PENALTY = 0.3
"""L2 penalty per training example; the best of four values in cross-validation on SemEval-2016."""

_SOURCE = "ours; Reimers and Gurevych 2019, Sentence-BERT, section 3: a classifier on both vectors and their product"
_PAIR = ("site", "query_id", "candidate_id")
_VECTOR = pa.list_(pa.float32())
_ROWS = pa.schema(
    [("fold", pa.int32()), ("relevant", pa.bool_()), ("query_vector", _VECTOR), ("candidate_vector", _VECTOR)]
)
_MOST_CANDIDATES = 100_000


class SentenceQualityV1(EmbeddingRegressionGroup):
    """Ridge regressions of relevance on the vector of the comment, and on its products with that of the question.

    The weights have the shape (2, inputs): row 0 uses the comment alone, with weights of 0 for the products; row 1 uses
    both.
    """

    name = "sentence_quality_v1"
    family = "quality"
    about = "relevance of the comment by linear models on sentence embeddings"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("comment", "relevance predicted from the comment, -1 to 1", _SOURCE),
        FeatureColumn("pair", "relevance predicted from the comment and its question, -1 to 1", _SOURCE),
    )

    @classmethod
    def learn(cls, training: TrainingData) -> Fitted[Reals]:
        """Fit on the judged candidates, in one task, which needs about 12 kB of memory per candidate."""
        inputs, folds = training.inputs, training.folds
        vectors = inputs.needed("embeddings").where(F.col("model") == MODEL)
        questions = inputs.documents.select(
            "site", F.col("document_id").alias("query_id"), F.col("text_id").alias("query_text")
        )
        rows = (
            training.judged_sample(_MOST_CANDIDATES)
            .join(questions, on=["site", "query_id"])
            .join(vectors.select("text_id", F.col("vector").alias("candidate_vector")), on="text_id")
            .join(
                vectors.select(F.col("text_id").alias("query_text"), F.col("vector").alias("query_vector")),
                on="query_text",
            )
            .select(*_PAIR, "fold", "relevant", "query_vector", "candidate_vector")
        )
        learned = learn_by_fold(rows, _PAIR, lambda batches: _learn(batches, folds))
        return learned.map(lambda weights: weights.reshape(2, -1))

    @classmethod
    def shape(cls) -> tuple[int | None, ...]:
        """Two regressions on the constant, the components and their products."""
        return (2, 1 + 2 * EmbeddingModel.read(MODEL).dimension)

    def compute(self, batch: QueryBatch) -> Values:
        """Predict from the vectors of each pair."""
        inputs = _inputs(exact_vectors(batch), batch.query_text, batch.candidate_text)
        return self.by_column(np.einsum("ij,kj->ki", inputs, self.weights))


def ridge(inputs: Reals, relevant: Mask, fold: Indices, folds: int) -> Fitted[Reals]:
    """Weights of ridge regressions on all folds and on the complement of each.

    Args:
        inputs: shape (examples, inputs); the first input is the constant 1, which is not penalised.
        relevant: the labels.
        fold: the fold of each example, from 0.
        folds: number of folds.

    Returns:
        Weights of shape (2, inputs): on the first half of the inputs, and on all.
    """
    target = np.where(relevant, 1.0, -1.0)
    of_folds = [fold == number for number in range(folds)]
    equations = [
        NormalEquations(inputs[own].T @ inputs[own], inputs[own].T @ target[own], own.sum()) for own in of_folds
    ]
    return solve_by_fold(equations, _solve)


def _learn(batches: Iterable[pa.RecordBatch], folds: int) -> Fitted[Reals]:
    rows = pa.Table.from_batches([batch.select(_ROWS.names).cast(_ROWS) for batch in batches], _ROWS)
    queries, candidates = (_matrix(rows.column(name)) for name in ("query_vector", "candidate_vector"))
    vectors, rows_of_queries = np.concatenate([queries, candidates]), np.arange(rows.num_rows)
    inputs = _inputs(vectors, rows_of_queries, rows_of_queries + rows.num_rows)
    relevant, fold = rows.column("relevant").to_numpy().astype(bool), rows.column("fold").to_numpy().astype(np.int64)
    with threadpool_limits(1):
        return ridge(inputs, relevant, fold, folds)


def _matrix(column: pa.ChunkedArray) -> Reals:
    components = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    exact = np.rint(components.astype(np.float64) * 10**DIGITS)
    return exact.reshape(len(column), EmbeddingModel.read(MODEL).dimension)


def _solve(equations: NormalEquations) -> Reals:
    products, moments = np.asarray(equations.squares), np.asarray(equations.products)
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
    of_candidate = vectors[candidate] / 10**DIGITS * np.sqrt(vectors.shape[1])
    of_query = vectors[query] / 10**DIGITS * np.sqrt(vectors.shape[1])
    return np.concatenate([np.ones((len(of_candidate), 1)), of_candidate, of_query * of_candidate], axis=1)
