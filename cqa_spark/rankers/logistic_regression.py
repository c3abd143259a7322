"""Logistic regression on standardised features, by Spark ML."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.feature import StandardScaler, VectorAssembler
from pyspark.ml.functions import vector_to_array
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.model import FeatureImportance, LearnedModel, ModelDescription, RankerModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.training_rows import training_rows


class LogisticRegressionParameters(RankerParameters):
    """What can be set."""

    l2: float = Field(0.001, ge=0, description="strength of the L2 penalty on the standardised coefficients")
    iterations: int = Field(100, ge=1, description="most steps of L-BFGS")
    threshold: float = Field(0.5, ge=0, le=1, description="probability from which on a candidate is predicted relevant")


class LogisticRegressionModel(LearnedModel):
    """The score is the probability that the candidate is relevant."""

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the absolute standardised coefficients, which are comparable between features."""
        coefficients = [float(value) for value in self.learned.stages[-1].coefficients]
        total = sum(abs(value) for value in coefficients) or 1.0
        return tuple(
            FeatureImportance(name, abs(value) / total, (value > 0) - (value < 0))
            for name, value in zip(self.description.features, coefficients, strict=True)
        )

    def _score(self, frame: DataFrame) -> DataFrame:
        return self.learned.transform(frame).withColumn("score", vector_to_array(F.col("probability"))[1])

    @classmethod
    def load_learned(cls, description: ModelDescription, path: str) -> LogisticRegressionModel:
        """Read the pipeline: assembler, scaler, regression."""
        return cls(description, PipelineModel.load(path))


class LogisticRegressionRanker(Ranker[LogisticRegressionParameters]):
    """A pointwise ranker: every candidate by itself."""

    name = "logistic_regression"
    about = "orders candidates by the probability of being relevant that a logistic regression gives"
    parameters_type: ClassVar[type[RankerParameters]] = LogisticRegressionParameters
    model_type: ClassVar[type[RankerModel]] = LogisticRegressionModel

    @property
    def gives_probabilities(self) -> bool:
        """Always."""
        return True

    def fit(self, frame: DataFrame) -> LogisticRegressionModel:
        """Learn ``relevant`` from the features."""
        with training_rows(frame, target="relevant") as training:
            learned = self._pipeline(training.features).fit(training.frame)
        description = self.describe(training.features, threshold=self.parameters.threshold, training=training.counts)
        return LogisticRegressionModel(description, learned)

    def _pipeline(self, features: tuple[str, ...]) -> Pipeline:
        assembler = VectorAssembler(inputCols=list(features), outputCol="raw_features", handleInvalid="error")
        scaler = StandardScaler(inputCol="raw_features", outputCol="features", withMean=True, withStd=True)
        regression = LogisticRegression(
            labelCol="target",
            featuresCol="features",
            regParam=self.parameters.l2,
            elasticNetParam=0.0,
            maxIter=self.parameters.iterations,
            standardization=False,
        )
        return Pipeline(stages=[assembler, scaler, regression])
