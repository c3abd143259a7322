"""Parameters of rankers that train a network."""

from typing import Annotated

from pydantic import Field

from cqa_spark.process.extras import require_extra
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import RankerParameters
from cqa_spark.rankers.training.group import require_executors_for

Nodes = tuple[Annotated[int, Field(ge=1)], ...]


class NeuralParameters(RankerParameters):
    """Parameters of the classifier H and of its training."""

    hidden: Nodes = Field((50, 50), description="nodes of each hidden layer of the classifier")
    dropout: Annotated[float, Between(0.2, 0.8)] = Field(0.5, ge=0, lt=1, description="dropout rate of each layer")
    learning_rate: Annotated[float, Between(1e-4, 1e-2, log=True)] = Field(
        0.001, gt=0, description="step size of Adam (Kingma and Ba 2015)"
    )
    epochs: int = Field(40, ge=1, description="passes over the training examples; the best one is kept")
    batch: int = Field(32, ge=2, description="batch size in pairs; smaller for long texts")
    validation_folds: int = Field(
        5, ge=2, description="number of folds of the training threads; one fold is held out to choose the epoch"
    )
    seed: int = Field(1, description="seed of the initial weights, the batches and the dropout")
    workers: int = Field(1, ge=1, description="Spark tasks that train together; queries stay whole")
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")

    def require_environment(self) -> None:
        """Check that JAX is installed, and that executors stay for several workers."""
        require_extra("neural", ["jax", "onnx"], "training a neural ranker")
        require_executors_for(self.workers)
