"""A siamese network: vectors of query and candidate by one encoder, combined with features."""

from typing import Literal

from pydantic import Field

from cqa_spark.rankers.neural.network import NetworkShape, SiameseEncoder
from cqa_spark.rankers.neural.ranker import TextNetworkParameters, TextNetworkRanker


class SiameseNetworkParameters(TextNetworkParameters):
    """Parameters of the encoder, and of the classifier."""

    encoder: Literal["convolution", "lstm"] = Field(
        "convolution",
        description="what makes a vector of a text: a convolution, or a bidirectional LSTM with attention",
    )
    nodes: int = Field(100, ge=1, description="number of filters of the convolution, or nodes of each LSTM")
    window: int = Field(5, ge=1, description="number of words that a filter of the convolution sees")


class SiameseNetworkRanker(TextNetworkRanker[SiameseNetworkParameters]):
    """The classifier's input is the vectors of both texts, their similarity and the features.

    Source:
        Severyn and Moschitti 2015, Learning to Rank Short Text Pairs with Convolutional Deep Neural Networks, for the
        convolution with its filters and window, and the classifier's input; Tan et al. 2015, LSTM-based Deep Learning
        Models for Non-factoid Answer Selection, for the LSTM.
    """

    name = "siamese_network"
    about = "ranks candidates with a network that makes vectors of query and candidate by one encoder and uses features"
    parameters_type = SiameseNetworkParameters

    def shape(self, features: int, dimensions: int) -> NetworkShape:
        """Encoder and classifier."""
        sizes = self.parameters
        encoder = SiameseEncoder(sizes.encoder, sizes.nodes, sizes.window)
        return NetworkShape(features, dimensions, encoder, sizes.hidden, sizes.dropout)
