"""Ridge regression of graded similarity on standardised features."""

from typing import Annotated

from pydantic import Field

from cqa_spark.rankers.linear import LinearParameters, LinearRanker
from cqa_spark.rankers.tuning_ranges import Between


class RidgeRegressionParameters(LinearParameters):
    """Parameters of the ranker."""

    l2: Annotated[float, Between(1e-4, 1, log=True)] = Field(
        0.005, ge=0, description="strength of the L2 penalty on the standardised coefficients"
    )
    iterations: int = Field(300, ge=1, description="maximum number of iterations of L-BFGS")


class RidgeRegressionRanker(LinearRanker[RidgeRegressionParameters]):
    """Least squares with an L2 penalty (Hoerl and Kennard 1970, Ridge regression); the score is the similarity."""

    name = "ridge_regression"
    about = "ranks candidates by the similarity predicted by a ridge regression"
    parameters_type = RidgeRegressionParameters
    loss = "squared"
    target = "similarity"
    gives_similarities = True
