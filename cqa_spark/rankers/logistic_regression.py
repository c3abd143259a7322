"""Logistic regression on standardised features."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import expit

from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.linear import LinearModel, LinearParameters, LinearRanker
from cqa_spark.rankers.tuning_ranges import Between


class LogisticRegressionParameters(LinearParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-5, 0.3, log=True)] = Field(
        0.001, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")


class LogisticRegressionModel(LinearModel):
    """The score is the probability that the candidate is relevant."""

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The logistic function of the linear one."""
        return expit(super().score(candidates))


class LogisticRegressionRanker(LinearRanker[LogisticRegressionParameters]):
    """A pointwise ranker, which scores every candidate independently."""

    name = "logistic_regression"
    about = "ranks candidates by the probability of relevance from a logistic regression"
    parameters_type = LogisticRegressionParameters
    model_type = LogisticRegressionModel
    loss = "logistic"
    gives_probabilities = True
