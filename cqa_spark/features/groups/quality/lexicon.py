"""The lexicon: a bag-of-words model of what a good comment says, whatever the question."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.feature import HashingTF, Normalizer
from pyspark.ml.functions import vector_to_array
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.features.group import Entity, FeatureColumn, FeatureInputs, FittedFeatureGroup

_BUCKETS = 2**17
_REGULARIZATION = 5e-5
_ITERATIONS = 20

_SOURCE = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, word n-grams"


class LexiconV1(FittedFeatureGroup):
    """Logistic regression on the comment's tokens, pairs of tokens and stems, hashed.

    Hashing needs no vocabulary, and the model trains on one sorted partition: the same rows give the same weights to
    the last bit, however they were spread.
    """

    name: ClassVar[str] = "lexicon_v1"
    about: ClassVar[str] = "what a bag-of-words model of relevant comments says of the comment"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        FeatureColumn("log_odds", "log-odds of being relevant", _SOURCE),
        FeatureColumn("probability", "probability of being relevant", _SOURCE, 0.4),
    )
    learns_from_labels: ClassVar[bool] = True

    def __init__(self, model: PipelineModel | None = None) -> None:
        self._model = model

    @property
    def model(self) -> PipelineModel:
        """Hashing, scaling to unit length, logistic regression.

        Raises:
            ContractError: the group is not fitted.
        """
        if self._model is None:
            raise ContractError(f"feature group {self.name} is not fitted", "call fit or load first")
        return self._model

    def fit(self, inputs: FeatureInputs) -> Self:
        """Learn the weights from the examples with a known label."""
        judged = inputs.keep_examples(F.col("relevant").isNotNull())
        labels = judged.examples.select(*self.entity.key, F.col("relevant").cast("double").alias("relevant")).distinct()
        terms = _terms(inputs.with_text(labels, "candidate_id")).select(*self.entity.key, "relevant", "terms")
        in_order = terms.repartition(1).sortWithinPartitions(*self.entity.key).persist()
        model = _estimator().fit(in_order)
        in_order.unpersist()
        return type(self)(model)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """What the model says of each candidate."""
        terms = _terms(inputs.with_text(self.entities(inputs.examples), "candidate_id"))
        scored = self.model.transform(terms.select(*self.entity.key, "terms"))
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


def _terms(texts: DataFrame) -> DataFrame:
    """Tokens, pairs of tokens between the text's two ends, and stems, told apart by their spelling."""
    bounded = F.concat(F.array(F.lit("^")), "tokens", F.array(F.lit("$")))
    pairs = F.zip_with(
        F.slice(bounded, 1, F.size(bounded) - 1),
        F.slice(bounded, 2, F.size(bounded) - 1),
        lambda one, next_one: F.concat_ws(" ", one, next_one),
    )
    stems = F.transform("stems", lambda stem: F.concat(F.lit("stem:"), stem))
    return texts.withColumn("terms", F.concat("tokens", pairs, stems))


def _estimator() -> Pipeline:
    return Pipeline(
        stages=[
            HashingTF(inputCol="terms", outputCol="counts", numFeatures=_BUCKETS, binary=True),
            Normalizer(inputCol="counts", outputCol="bag"),
            LogisticRegression(
                featuresCol="bag",
                labelCol="relevant",
                rawPredictionCol="margin",
                standardization=False,
                regParam=_REGULARIZATION,
                maxIter=_ITERATIONS,
            ),
        ]
    )
