"""Ridge regression of graded similarity on standardised features, by Spark ML."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field
from pyspark.ml.regression import LinearRegression
from pyspark.sql import DataFrame

from cqa_spark.rankers.linear_model import LinearModel, LinearWeights
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.threshold import with_share_threshold
from cqa_spark.rankers.training_rows import training_rows
from cqa_spark.spark import ml


class RidgeRegressionParameters(RankerParameters):
    """What can be set."""

    l2: Annotated[float, Between(1e-4, 1, log=True)] = Field(
        0.005, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )


class RidgeRegressionModel(LinearModel):
    """The score is the expected similarity."""

    def _classifier(self) -> Any:
        return ml.linear_regression(self.learned.coefficients, self.learned.intercept)

    def _score(self, frame: DataFrame) -> DataFrame:
        return self._transform(frame).withColumnRenamed("prediction", "score")


class RidgeRegressionRanker(Ranker[RidgeRegressionParameters]):
    """Least squares with an L2 penalty (Hoerl and Kennard 1970, Ridge regression)."""

    name = "ridge_regression"
    about = "orders candidates by the similarity that a ridge regression expects"
    parameters_type: ClassVar[type[RankerParameters]] = RidgeRegressionParameters
    model_type: ClassVar[type[RankerModel]] = RidgeRegressionModel

    @property
    def gives_similarities(self) -> bool:
        """Always."""
        return True

    def fit(self, frame: DataFrame) -> RidgeRegressionModel:
        """Learn ``similarity`` from the features; the threshold is set out of fold."""
        return with_share_threshold(self.fit_scores(frame), self, frame)

    def fit_scores(self, frame: DataFrame) -> RidgeRegressionModel:
        """Learn ``similarity`` from the features."""
        regression = LinearRegression(regParam=self.parameters.l2, elasticNetParam=0.0, solver="normal")
        with training_rows(frame, target="similarity") as training:
            learned = LinearWeights.fit(training.frame, training.features, regression)
        return RidgeRegressionModel(self.describe(training.features, training=training.counts), learned)
