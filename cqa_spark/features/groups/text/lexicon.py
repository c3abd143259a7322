"""The lexicon: a bag-of-words model of what a good comment says, whatever the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pyspark.ml import PipelineModel
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.feature import HashingTF, Normalizer
from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FittedFeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.spark import ml

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, word n-grams"
_BUCKETS = 2**17
_REGULARIZATION = 5e-5
_ITERATIONS = 20
_COEFFICIENTS, _INTERCEPT = "coefficients.npy", "intercept.npy"


@dataclass(frozen=True, eq=False)
class LexiconWeights:
    """What the lexicon learned.

    Attributes:
        coefficients: log-odds that a term of each bucket adds, in a text of one term.
        intercept: log-odds of a text without terms.
    """

    coefficients: NDArray[np.float64]
    intercept: float


class LexiconV1(FittedFeatureGroup):
    """Logistic regression on the comment's tokens, pairs of tokens and stems, hashed.

    Hashing needs no vocabulary, and the model trains on one sorted partition: the same rows give the same weights to
    the last bit, however they were spread.
    """

    name: ClassVar[str] = "lexicon_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "what a bag-of-words model of relevant comments says of the comment"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        FeatureColumn("log_odds", "log-odds of being relevant", _NICOSIA),
        FeatureColumn("probability", "probability of being relevant", _NICOSIA, 0.4),
    )
    learns_from_labels: ClassVar[bool] = True

    def __init__(self, weights: LexiconWeights | None = None) -> None:
        self._weights = weights

    @property
    def weights(self) -> LexiconWeights:
        """The weight of each bucket.

        Raises:
            ContractError: the group is not fitted.
        """
        return self.require_fitted(self._weights)

    def fit(self, inputs: FeatureInputs) -> Self:
        """Learn the weights from the examples with a known label."""
        judged = inputs.keep_examples(F.col("relevant").isNotNull())
        labels = judged.examples.select(*self.entity.key, F.col("relevant").cast("double").alias("relevant")).distinct()
        terms = inputs.with_text(labels, "candidate_id").select(*self.entity.key, "relevant", _terms().alias("terms"))
        bags = _bags().transform(terms).select(*self.entity.key, "relevant", "bag")
        in_order = bags.repartition(1).sortWithinPartitions(*self.entity.key).persist()
        fitted = _estimator().fit(in_order)
        in_order.unpersist()
        return type(self)(LexiconWeights(fitted.coefficients.toArray(), fitted.intercept))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """What the model says of each candidate."""
        texts = inputs.with_text(self.entities(inputs.examples), "candidate_id")
        bags = _bags().transform(texts.select(*self.entity.key, _terms().alias("terms")))
        regression = ml.logistic_regression(self.weights.coefficients, self.weights.intercept)
        scored = regression.setFeaturesCol("bag").setRawPredictionCol("margin").transform(bags)
        return scored.select(
            *self.entity.key,
            vector_to_array(F.col("margin"))[1].alias("log_odds"),
            vector_to_array(F.col("probability"))[1].alias("probability"),
        )

    def save(self, folder: NewModelFolder) -> None:
        """Write the weights as NumPy arrays."""
        folder.write_array(_COEFFICIENTS, self.weights.coefficients)
        folder.write_array(_INTERCEPT, np.array([self.weights.intercept]))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the weights."""
        coefficients = folder.read_array(_COEFFICIENTS, shape=(_BUCKETS,))
        (intercept,) = folder.read_array(_INTERCEPT, shape=(1,))
        return cls(LexiconWeights(coefficients, float(intercept)))


def _terms() -> Column:
    """Tokens, pairs of tokens between the text's two ends, and stems, distinguished by their spelling."""
    bounded = F.concat(F.array(F.lit("^")), "tokens", F.array(F.lit("$")))
    pairs = F.zip_with(
        F.slice(bounded, 1, F.size(bounded) - 1),
        F.slice(bounded, 2, F.size(bounded) - 1),
        lambda one, next_one: F.concat_ws(" ", one, next_one),
    )
    stems = F.transform("stems", lambda stem: F.concat(F.lit("stem:"), stem))
    return F.concat("tokens", pairs, stems)


def _bags() -> PipelineModel:
    """From a text's terms to their buckets, as a vector of unit length; repeats do not count."""
    hashing = HashingTF(inputCol="terms", outputCol="counts", numFeatures=_BUCKETS, binary=True)
    return PipelineModel([hashing, Normalizer(inputCol="counts", outputCol="bag")])


def _estimator() -> LogisticRegression:
    return LogisticRegression(
        featuresCol="bag",
        labelCol="relevant",
        rawPredictionCol="margin",
        standardization=False,
        regParam=_REGULARIZATION,
        maxIter=_ITERATIONS,
    )
