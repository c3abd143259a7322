"""A multilayer perceptron on features scaled to [0, 1], by Spark ML: the network H of Xu et al. (2018)."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import MultilayerPerceptronClassifier
from pyspark.ml.feature import MinMaxScaler, VectorAssembler
from pyspark.ml.functions import vector_to_array
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.model import FeatureImportance, LearnedModel, ModelDescription, RankerModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.training_rows import training_rows


class MultilayerPerceptronParameters(RankerParameters):
    """What can be set."""

    hidden: tuple[Annotated[int, Field(ge=1)], ...] = Field((50, 50), description="nodes of each hidden layer")
    iterations: Annotated[int, Between(20, 400, log=True, whole=True)] = Field(
        100, ge=1, description="most steps of L-BFGS; the fewer, the less is learned by heart"
    )
    seed: int = Field(1, description="seed of the first weights")
    threshold: float = Field(0.5, ge=0, le=1, description="probability from which on a candidate is predicted relevant")


class MultilayerPerceptronModel(LearnedModel):
    """The score is the probability that the candidate is relevant."""

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the absolute connection weights: products of weights, summed over all paths to the output.

        Olden et al. 2004, An accurate comparison of methods for quantifying variable importance. All features have the
        same range, which makes them comparable.
        """
        network = self.learned.stages[-1]
        to_irrelevant, to_relevant = reduce(lambda before, layer: layer @ before, _layers(network))
        connections = to_relevant - to_irrelevant
        total = float(np.abs(connections).sum()) or 1.0
        return tuple(
            FeatureImportance(name, abs(float(value)) / total, int(np.sign(value)))
            for name, value in zip(self.description.features, connections, strict=True)
        )

    def _score(self, frame: DataFrame) -> DataFrame:
        return self.learned.transform(frame).withColumn("score", vector_to_array(F.col("probability"))[1])

    @classmethod
    def load_learned(cls, description: ModelDescription, path: str) -> MultilayerPerceptronModel:
        """Read the pipeline: assembler, scaler, network."""
        return cls(description, PipelineModel.load(path))


class MultilayerPerceptronRanker(Ranker[MultilayerPerceptronParameters]):
    """A pointwise ranker. Hidden nodes are sigmoid ones where the paper's are rectified, and nothing is dropped out.

    The scaling to [0, 1] that the paper applies to all its features is part of the ranker: it is fitted on the training
    part alone, and other rankers need none. A value beyond those of the training part goes beyond the range.
    """

    name = "multilayer_perceptron"
    about = "orders candidates by the probability of being relevant that a multilayer perceptron gives"
    parameters_type: ClassVar[type[RankerParameters]] = MultilayerPerceptronParameters
    model_type: ClassVar[type[RankerModel]] = MultilayerPerceptronModel

    @property
    def gives_probabilities(self) -> bool:
        """Always."""
        return True

    def fit(self, frame: DataFrame) -> MultilayerPerceptronModel:
        """Learn ``relevant`` from the features."""
        with training_rows(frame, target="relevant") as training:
            learned = self._pipeline(training.features).fit(training.frame)
        description = self.describe(training.features, threshold=self.parameters.threshold, training=training.counts)
        return MultilayerPerceptronModel(description, learned)

    def _pipeline(self, features: tuple[str, ...]) -> Pipeline:
        assembler = VectorAssembler(inputCols=list(features), outputCol="raw_features", handleInvalid="error")
        scaler = MinMaxScaler(inputCol="raw_features", outputCol="features")
        network = MultilayerPerceptronClassifier(
            labelCol="target", featuresCol="features", layers=[len(features), *self.parameters.hidden, 2],
            maxIter=self.parameters.iterations, seed=self.parameters.seed,
        )  # fmt: skip
        return Pipeline(stages=[assembler, scaler, network])


def _layers(network: Any) -> list[Any]:
    """The weights of each layer, a row per node and a column per input; biases are left out."""
    weights, sizes = network.weights.toArray(), network.getLayers()
    layers, start = [], 0
    for inputs, nodes in pairwise(sizes):
        layers.append(weights[start : start + inputs * nodes].reshape(inputs, nodes).T)
        start += (inputs + 1) * nodes  # the biases follow the weights
    return layers
