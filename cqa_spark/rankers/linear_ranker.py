"""The base class of linear rankers, which learn by full-batch L-BFGS."""

from typing import ClassVar, TypeVar

from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.rankers.linear_model import LinearModel, LinearWeights
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.threshold import with_share_threshold
from cqa_spark.rankers.training.linear import LinearLearning
from cqa_spark.rankers.training.losses import LossName
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.tasks import train_in_tasks


class LinearParameters(TrainingParameters):
    """Parameters of every linear ranker."""

    l2: float = Field(0.001, ge=0, description="strength of the L2 penalty on the standardised coefficients")
    iterations: int = Field(100, ge=1, description="maximum number of iterations of L-BFGS")


P = TypeVar("P", bound=LinearParameters)


class LinearRanker(Ranker[P]):
    """A linear function of standardised features; rankers differ in their losses and targets.

    Attributes:
        loss: name of the loss.
        target: column to learn.
    """

    loss: ClassVar[LossName]
    target: ClassVar[str] = "relevant"
    model_type: ClassVar[type[LinearModel]] = LinearModel

    def fit(self, frame: DataFrame) -> LinearModel:
        """Fit like ``fit_scores``; without a threshold among the parameters, choose it on out-of-fold scores."""
        model = self.fit_scores(frame)
        has_threshold = model.description.threshold is not None
        return model if has_threshold else with_share_threshold(model, self, frame)

    def fit_scores(self, frame: DataFrame) -> LinearModel:
        """Learn the target from the features."""
        return self.learned(frame, self.target)

    def learned(self, frame: DataFrame, target: str) -> LinearModel:
        """Learn a column from the features of training examples."""
        trained = train_in_tasks(frame, self.learning, self.parameters, target=target)
        threshold = getattr(self.parameters, "threshold", None)
        description = self.describe(trained.features, threshold=threshold, training=trained.counts)
        return self.model_type(description, LinearWeights.model_validate_json(trained.learned))

    def learning(self, features: tuple[str, ...]) -> LinearLearning:
        """What each task runs, given the names of the features."""
        return LinearLearning(self.loss, self.parameters.l2, self.parameters.iterations)
