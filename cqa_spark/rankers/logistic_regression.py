"""Logistic regression on standardised features, by full-batch L-BFGS."""

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame
from scipy.special import expit

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.linear_model import LinearModel, LinearWeights
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.training.linear import LinearLearning
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.tasks import train_in_tasks


class LogisticRegressionParameters(TrainingParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-5, 0.3, log=True)] = Field(
        0.001, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    iterations: int = Field(100, ge=1, description="maximum number of iterations of L-BFGS")
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")


class LogisticRegressionModel(LinearModel):
    """The score is the probability that the candidate is relevant."""

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The logistic function of the linear one."""
        return expit(super().score(candidates))


class LogisticRegressionRanker(Ranker[LogisticRegressionParameters]):
    """A pointwise ranker, which scores every candidate independently."""

    name = "logistic_regression"
    about = "ranks candidates by the probability of relevance from a logistic regression"
    parameters_type: ClassVar[type[RankerParameters]] = LogisticRegressionParameters
    model_type: ClassVar[type[RankerModel]] = LogisticRegressionModel

    @property
    def gives_probabilities(self) -> bool:
        """Always."""
        return True

    def fit(self, frame: DataFrame) -> LogisticRegressionModel:
        """Learn ``relevant`` from the features."""
        learning = LinearLearning("logistic", self.parameters.l2, self.parameters.iterations)
        trained = train_in_tasks(frame, lambda _: learning, self.parameters, target="relevant")
        description = self.describe(trained.features, threshold=self.parameters.threshold, training=trained.counts)
        return LogisticRegressionModel(description, LinearWeights.model_validate_json(trained.learned))
