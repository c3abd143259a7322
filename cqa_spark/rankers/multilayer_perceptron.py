"""A multilayer perceptron on features scaled to [0, 1], by Spark ML: the network H of Xu et al. (2018)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pyspark.ml import Pipeline
from pyspark.ml.classification import MultilayerPerceptronClassifier
from pyspark.ml.feature import MinMaxScaler, VectorAssembler
from pyspark.sql import DataFrame
from scipy.special import expit

from cqa_spark.features.query_sample import sample_queries
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import FeatureImportance, LearnedNumbers, NumbersModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.training_rows import training_rows

_RAW, _SCALED = "raw_features", "features"


class MultilayerPerceptronParameters(RankerParameters):
    """Parameters of the ranker."""

    hidden: tuple[Annotated[int, Field(ge=1)], ...] = Field((50, 50), description="nodes of each hidden layer")
    iterations: Annotated[int, Between(20, 400, log=True, whole=True)] = Field(
        100, ge=1, description="maximum number of iterations of L-BFGS; fewer reduce overfitting"
    )
    seed: int = Field(1, description="seed of the initial weights")
    max_training_rows: int = Field(
        1_000_000,
        ge=1,
        description="number of examples, approximately, in the sample of whole queries that a single task trains on",
    )
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")


class NetworkWeights(LearnedNumbers):
    """A network on features scaled to [0, 1].

    Attributes:
        low: minimum of each feature in the training data.
        high: maximum of each feature in the training data.
        layers: number of nodes of each layer, from the features to the two classes.
        weights: concatenated weights of all layers, each input by node, then the biases.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    layers: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=2)
    weights: tuple[float, ...]

    @model_validator(mode="after")
    def _fit_together(self) -> NetworkWeights:
        wanted = sum((inputs + 1) * nodes for inputs, nodes in pairwise(self.layers))
        if not len(self.low) == len(self.high) == self.layers[0] or len(self.weights) != wanted:
            raise ValueError("the lengths of low, high and weights do not match the layers")
        return self

    @property
    def inputs(self) -> int:
        """Number of features."""
        return self.layers[0]

    def matrices(self) -> list[NDArray[np.float64]]:
        """The weights of each layer, of shape (nodes, inputs), without biases."""
        return [weights for weights, _ in self._layers()]

    def probabilities(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of being relevant for each row of features."""
        low, high = np.array(self.low), np.array(self.high)
        # Spark ML scales constant features to the middle of the range.
        scaled = np.divide(values - low, high - low, out=np.full_like(values, 0.5), where=high > low)
        *hidden, last = self._layers()
        for weights, biases in hidden:
            scaled = expit(_products(scaled, weights) + biases)
        irrelevant, relevant = (_products(scaled, last[0]) + last[1]).T
        return expit(relevant - irrelevant)

    def _layers(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The weights of each layer, of shape (nodes, inputs), and its biases."""
        numbers, found, start = np.array(self.weights), [], 0
        for inputs, nodes in pairwise(self.layers):
            end = start + inputs * nodes
            found.append((numbers[start:end].reshape(inputs, nodes).T, numbers[end : end + nodes]))
            start = end + nodes  # the biases follow the weights
        return found


@dataclass(frozen=True, eq=False)
class MultilayerPerceptronModel(NumbersModel):
    """The score is the probability that the candidate is relevant."""

    learned_type = NetworkWeights

    learned: NetworkWeights

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the absolute connection weights: products of weights, summed over all paths to the output.

        Olden et al. 2004, An accurate comparison of methods for quantifying variable importance. All features have the
        same range, which makes them comparable.
        """
        to_irrelevant, to_relevant = reduce(lambda before, layer: layer @ before, self.learned.matrices())
        connections = to_relevant - to_irrelevant
        total = float(np.abs(connections).sum()) or 1.0
        return tuple(
            FeatureImportance(name, abs(float(value)) / total, int(np.sign(value)))
            for name, value in zip(self.description.features, connections, strict=True)
        )

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The network's output for relevant."""
        return self.learned.probabilities(candidates.of(self.description.features))


class MultilayerPerceptronRanker(Ranker[MultilayerPerceptronParameters]):
    """A pointwise ranker. Hidden units are sigmoid, not rectified as in the paper, and there is no dropout.

    The ranker scales features to [0, 1], as the paper does for all its features; other rankers need no scaling. The
    scaling is fitted on the training data, so values outside its range are scaled outside [0, 1].
    """

    name = "multilayer_perceptron"
    about = "ranks candidates by the probability of relevance from a multilayer perceptron"
    parameters_type = MultilayerPerceptronParameters
    model_type = MultilayerPerceptronModel
    gives_probabilities = True

    def fit(self, frame: DataFrame) -> MultilayerPerceptronModel:
        """Learn ``relevant`` from the features."""
        used = sample_queries(frame, self.parameters.max_training_rows, rows=frame.count())
        with training_rows(used, target="relevant") as training:
            learned = self._learn(training.frame, training.features)
        description = self.describe(training.features, threshold=self.parameters.threshold, training=training.counts)
        return MultilayerPerceptronModel(description, learned)

    def _learn(self, frame: DataFrame, features: Sequence[str]) -> NetworkWeights:
        assembler = VectorAssembler(inputCols=list(features), outputCol=_RAW, handleInvalid="error")
        scaler = MinMaxScaler(inputCol=_RAW, outputCol=_SCALED)
        network = MultilayerPerceptronClassifier(
            labelCol="target", featuresCol=_SCALED, layers=[len(features), *self.parameters.hidden, 2],
            maxIter=self.parameters.iterations, seed=self.parameters.seed,
        )  # fmt: skip
        pipeline: Any = Pipeline(stages=[assembler, scaler, network]).fit(frame)
        _, scaled, fitted = pipeline.stages
        return NetworkWeights(
            low=scaled.originalMin.toArray().tolist(),
            high=scaled.originalMax.toArray().tolist(),
            layers=fitted.getLayers(),
            weights=fitted.weights.toArray().tolist(),
        )


def _products(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product with the transposed weights, summed in an order that does not depend on the number of rows."""
    return np.stack([(values * node).sum(axis=1) for node in weights], axis=1)
