"""Ridge regression of graded similarity on standardised features, by full-batch L-BFGS."""

from typing import Annotated, ClassVar

from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.rankers.linear_model import LinearModel, LinearWeights
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.threshold import with_share_threshold
from cqa_spark.rankers.training.linear import LinearLearning
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.tasks import train_in_tasks


class RidgeRegressionParameters(TrainingParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-4, 1, log=True)] = Field(
        0.005, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    iterations: int = Field(300, ge=1, description="maximum number of iterations of L-BFGS")


class RidgeRegressionModel(LinearModel):
    """The score is the predicted similarity."""


class RidgeRegressionRanker(Ranker[RidgeRegressionParameters]):
    """Least squares with an L2 penalty (Hoerl and Kennard 1970, Ridge regression)."""

    name = "ridge_regression"
    about = "ranks candidates by the similarity predicted by a ridge regression"
    parameters_type: ClassVar[type[RankerParameters]] = RidgeRegressionParameters
    model_type: ClassVar[type[RankerModel]] = RidgeRegressionModel

    @property
    def gives_similarities(self) -> bool:
        """Always."""
        return True

    def fit(self, frame: DataFrame) -> RidgeRegressionModel:
        """Learn ``similarity`` from the features; choose the threshold on out-of-fold scores."""
        return with_share_threshold(self.fit_scores(frame), self, frame)

    def fit_scores(self, frame: DataFrame) -> RidgeRegressionModel:
        """Learn ``similarity`` from the features."""
        learning = LinearLearning("squared", self.parameters.l2, self.parameters.iterations)
        trained = train_in_tasks(frame, lambda _: learning, self.parameters, target="similarity")
        description = self.describe(trained.features, training=trained.counts)
        return RidgeRegressionModel(description, LinearWeights.model_validate_json(trained.learned))
