"""Conditional logit: which candidate of the query is chosen, by a linear function of standardised features."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.linear import LinearLearning, LinearModel, LinearParameters, LinearRanker
from cqa_spark.rankers.tuning_ranges import Between


class ConditionalLogitParameters(LinearParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-5, 0.3, log=True)] = Field(
        0.003, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    target: str = Field(
        "label", description="column with the weight of the choice of a candidate: 1 or 0, or a share of a weak label"
    )
    increasing: tuple[str, ...] = Field(
        (),
        description="features that may only raise the score, as GROUP__COLUMN; others are not limited",
    )
    decreasing: tuple[str, ...] = Field((), description="features that may only lower the score")

    def needs_features(self) -> tuple[str, ...]:
        """The limited features."""
        return (*self.increasing, *self.decreasing)

    def sign(self, feature: str) -> int:
        """1 for an increasing feature, -1 for a decreasing one, 0 for others."""
        return (feature in self.increasing) - (feature in self.decreasing)


class ConditionalLogitRanker(LinearRanker[ConditionalLogitParameters]):
    """A listwise ranker, which learns only from differences between the candidates of a query (``linear.choice``).

    The softmax of the scores of a query's candidates is the probability that each is chosen.
    """

    name = "conditional_logit"
    about = "ranks candidates by a linear function whose softmax is the probability of being chosen in the query"
    parameters_type = ConditionalLogitParameters
    loss = "choice"

    @property
    def learns_choices(self) -> bool:
        """Whether the choice is its target."""
        return self.parameters.target == "choice"

    def fit_scores(self, frame: DataFrame) -> LinearModel:
        """Learn the choice from the features; a candidate counts as relevant if it has a weight."""
        target = self.parameters.target
        return self.learned(frame.withColumn("relevant", F.col(target) > 0), target)

    def learning(self, features: tuple[str, ...]) -> LinearLearning:
        """The function that each task runs, with the signs of the coefficients."""
        return replace(super().learning(features), signs=tuple(map(self.parameters.sign, features)))
