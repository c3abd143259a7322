"""A feed-forward network on features: the classifier H of Xu et al. (2018)."""

import numpy as np
from pyspark.sql import DataFrame

from cqa_spark.rankers.neural.model import NetworkModel
from cqa_spark.rankers.neural.network import NetworkShape
from cqa_spark.rankers.neural.ranker import NeuralParameters, NeuralRanker
from cqa_spark.rankers.neural.training_data import training_rows


class FeedForwardParameters(NeuralParameters):
    """Parameters of the network."""


class FeedForwardRanker(NeuralRanker[FeedForwardParameters]):
    """Rectified layers, batch normalisation before and dropout after each, on features scaled to [0, 1].

    Source:
        Xu et al. 2018, Preferred Answer Selection in Stack Overflow, sections 4.1.2 and 5: the network that reads
        paragraph vectors, metadata, or both.
    """

    name = "feed_forward"
    about = "ranks candidates by the probability of relevance from a feed-forward network"
    parameters_type = FeedForwardParameters
    model_type = NetworkModel

    def shape(self, features: int, dimensions: int) -> NetworkShape:
        """The classifier alone."""
        sizes = self.parameters
        return NetworkShape(features, dimensions, None, sizes.hidden, sizes.dropout, batch_norm=True)

    def fit(self, frame: DataFrame) -> NetworkModel:
        """Learn ``relevant`` from the features."""
        with training_rows(frame) as training:
            network = self.train(training, (), np.empty((0, 0)))
        threshold = self.parameters.threshold
        return NetworkModel(self.describe(training.features, threshold=threshold, training=training.counts), network)
