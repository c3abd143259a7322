"""A linear support vector machine on standardised features, by full-batch L-BFGS."""

from typing import Annotated, ClassVar

from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.rankers.linear_model import LinearModel, LinearWeights
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.training.linear import LinearLearning
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.tasks import train_in_tasks


class LinearSvmParameters(TrainingParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-5, 0.3, log=True)] = Field(
        0.001, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    iterations: int = Field(100, ge=1, description="maximum number of iterations of the optimizer")
    threshold: float = Field(
        0.0, description="minimum signed distance from the boundary for predicting a candidate relevant"
    )


class LinearSvmModel(LinearModel):
    """The score is the signed distance from the boundary, in margins; it is not a probability."""


class LinearSvmRanker(Ranker[LinearSvmParameters]):
    """Hinge loss with an L2 penalty (Cortes and Vapnik 1995, Machine Learning 20(3)), pointwise."""

    name = "linear_svm"
    about = "ranks candidates by their distance from the boundary of a linear support vector machine"
    parameters_type: ClassVar[type[RankerParameters]] = LinearSvmParameters
    model_type: ClassVar[type[RankerModel]] = LinearSvmModel

    def fit(self, frame: DataFrame) -> LinearSvmModel:
        """Learn ``relevant`` from the features."""
        learning = LinearLearning("hinge", self.parameters.l2, self.parameters.iterations)
        trained = train_in_tasks(frame, lambda _: learning, self.parameters, target="relevant")
        description = self.describe(trained.features, threshold=self.parameters.threshold, training=trained.counts)
        return LinearSvmModel(description, LinearWeights.model_validate_json(trained.learned))
