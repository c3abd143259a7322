"""Conditional logit: which candidate of the query is chosen, by a linear function of standardised features."""

from typing import Annotated, ClassVar

from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.linear_model import LinearModel, LinearWeights
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.threshold import with_share_threshold
from cqa_spark.rankers.training.linear import LinearLearning
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.tasks import train_in_tasks


class ConditionalLogitParameters(TrainingParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-5, 0.3, log=True)] = Field(
        0.003, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    iterations: int = Field(100, ge=1, description="maximum number of iterations of L-BFGS")
    target: str = Field(
        "label", description="column with the weight of the choice of a candidate: 1 or 0, or a share of a weak label"
    )
    increasing: tuple[str, ...] = Field(
        (), description="features of which more may only help, as GROUP__COLUMN; others are not limited"
    )
    decreasing: tuple[str, ...] = Field((), description="features of which more may only harm")

    def needs_features(self) -> tuple[str, ...]:
        """The limited features."""
        return (*self.increasing, *self.decreasing)

    def sign(self, feature: str) -> int:
        """1 for an increasing feature, -1 for a decreasing one, 0 for others."""
        return (feature in self.increasing) - (feature in self.decreasing)


class ConditionalLogitModel(LinearModel):
    """The softmax of the scores of a query's candidates is the probability that each is chosen."""


class ConditionalLogitRanker(Ranker[ConditionalLogitParameters]):
    """A listwise ranker, which learns only from differences between the candidates of a query (``losses.choice``)."""

    name = "conditional_logit"
    about = "ranks candidates by a linear function whose softmax is the probability of being chosen in the query"
    parameters_type: ClassVar[type[RankerParameters]] = ConditionalLogitParameters
    model_type: ClassVar[type[RankerModel]] = ConditionalLogitModel

    def fit(self, frame: DataFrame) -> RankerModel:
        """Fit like ``fit_scores``, then choose the threshold on out-of-fold scores."""
        return with_share_threshold(self.fit_scores(frame), self, frame)

    def fit_scores(self, frame: DataFrame) -> ConditionalLogitModel:
        """Learn the choice from the features; a candidate counts as relevant if it has a weight."""
        parameters = self.parameters
        chosen = frame.withColumn("relevant", F.col(parameters.target) > 0)

        def learning(features: tuple[str, ...]) -> LinearLearning:
            signs = tuple(parameters.sign(feature) for feature in features)
            return LinearLearning("choice", parameters.l2, parameters.iterations, signs=signs)

        trained = train_in_tasks(chosen, learning, parameters, target=parameters.target)
        description = self.describe(trained.features, training=trained.counts)
        return ConditionalLogitModel(description, LinearWeights.model_validate_json(trained.learned))
