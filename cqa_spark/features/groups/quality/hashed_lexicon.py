"""A lexicon: logistic regression on what a comment's text holds, hashed, whatever the question."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

from pyspark.ml import PipelineModel
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.feature import HashingTF, Normalizer
from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FittedFeatureGroup
from cqa_spark.features.inputs import FeatureInputs

_REGULARIZATION = 5e-5
_ITERATIONS = 20


def lexicon_columns(source: str) -> tuple[FeatureColumn, ...]:
    """The columns of every lexicon.

    Args:
        source: where the idea of its terms comes from.
    """
    return (
        FeatureColumn("log_odds", "log-odds of being relevant", source),
        FeatureColumn("probability", "probability of being relevant", source, 0.4),
    )


class HashedLexicon(FittedFeatureGroup):
    """Base of lexicons, which differ in the terms that they take from a text.

    Hashing needs no vocabulary, and the model trains on one sorted partition: the same rows give the same weights to
    the last bit, however they were spread.
    """

    entity: ClassVar[Entity] = Entity.CANDIDATE
    learns_from_labels: ClassVar[bool] = True
    buckets: ClassVar[int]

    def __init__(self, model: PipelineModel | None = None) -> None:
        self._model = model

    @classmethod
    @abstractmethod
    def terms(cls) -> Column:
        """The array of a text's terms, over a row of the table ``texts``; repeats do not count."""

    @property
    def model(self) -> PipelineModel:
        """Hashing, scaling to unit length, logistic regression.

        Raises:
            ContractError: the group is not fitted.
        """
        return self.require_fitted(self._model)

    def fit(self, inputs: FeatureInputs) -> Self:
        """Learn the weights from the examples with a known label."""
        judged = inputs.keep_examples(F.col("relevant").isNotNull())
        labels = judged.examples.select(*self.entity.key, F.col("relevant").cast("double").alias("relevant")).distinct()
        terms = inputs.with_text(labels, "candidate_id").select(
            *self.entity.key, "relevant", self.terms().alias("terms")
        )
        hashing = HashingTF(inputCol="terms", outputCol="counts", numFeatures=self.buckets, binary=True)
        scaling = Normalizer(inputCol="counts", outputCol="bag")
        bags = scaling.transform(hashing.transform(terms)).select(*self.entity.key, "relevant", "bag")
        in_order = bags.repartition(1).sortWithinPartitions(*self.entity.key).persist()
        weights = _estimator().fit(in_order)
        in_order.unpersist()
        return type(self)(PipelineModel([hashing, scaling, weights]))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """What the model says of each candidate."""
        texts = inputs.with_text(self.entities(inputs.examples), "candidate_id")
        scored = self.model.transform(texts.select(*self.entity.key, self.terms().alias("terms")))
        return scored.select(
            *self.entity.key,
            vector_to_array(F.col("margin"))[1].alias("log_odds"),
            vector_to_array(F.col("probability"))[1].alias("probability"),
        )

    def save(self, path: str) -> None:
        """Write the model as Spark ML does."""
        self.model.save(f"{path}/model")

    @classmethod
    def load(cls, path: str) -> Self:
        """Read the model."""
        return cls(PipelineModel.load(f"{path}/model"))


def _estimator() -> LogisticRegression:
    return LogisticRegression(
        featuresCol="bag",
        labelCol="relevant",
        rawPredictionCol="margin",
        standardization=False,
        regParam=_REGULARIZATION,
        maxIter=_ITERATIONS,
    )
