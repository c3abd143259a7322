"""A linear support vector machine on standardised features."""

from typing import Annotated

from pydantic import Field

from cqa_spark.rankers.linear import LinearParameters, LinearRanker
from cqa_spark.rankers.tuning_ranges import Between


class LinearSvmParameters(LinearParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-5, 0.3, log=True)] = Field(
        0.001, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    threshold: float = Field(
        0.0, description="minimum signed distance from the boundary for predicting a candidate relevant"
    )


class LinearSvmRanker(LinearRanker[LinearSvmParameters]):
    """Hinge loss with an L2 penalty (Cortes and Vapnik 1995, Machine Learning 20(3)), pointwise.

    The score is the signed distance from the boundary, in margins; it is not a probability.
    """

    name = "linear_svm"
    about = "ranks candidates by their distance from the boundary of a linear support vector machine"
    parameters_type = LinearSvmParameters
    loss = "hinge"
