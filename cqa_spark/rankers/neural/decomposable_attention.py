"""Decomposable attention over the words of query and candidate, combined with features."""

from pydantic import Field

from cqa_spark.rankers.neural.model import AlignmentModel
from cqa_spark.rankers.neural.network import NetworkShape, WordAlignment
from cqa_spark.rankers.neural.ranker import Nodes, TextNetworkParameters, TextNetworkRanker


class DecomposableAttentionParameters(TextNetworkParameters):
    """Parameters of the attention, and of the classifier."""

    attend: Nodes = Field((100, 100), min_length=1, description="nodes of each layer that transforms words (F)")
    compare: Nodes = Field(
        (100, 100), min_length=1, description="nodes of each layer that compares a word with its alignment (G)"
    )


class DecomposableAttentionRanker(TextNetworkRanker[DecomposableAttentionParameters]):
    """Words attend to the words of the other text; the classifier's input is the summed comparisons and the features.

    Source:
        Parikh et al. 2016, A Decomposable Attention Model for Natural Language Inference; with features, Xu et al.
        2018, Preferred Answer Selection in Stack Overflow, sections 4.1.1 and 4.3 ("decatt", "decatt + metadata").
    """

    name = "decomposable_attention"
    about = "ranks candidates with a network that aligns the words of query and candidate and uses features"
    parameters_type = DecomposableAttentionParameters
    model_type = AlignmentModel

    def shape(self, features: int, dimensions: int) -> NetworkShape:
        """Attention, comparison and classifier."""
        sizes = self.parameters
        alignment = WordAlignment(sizes.attend, sizes.compare)
        return NetworkShape(features, dimensions, alignment, sizes.hidden, sizes.dropout)
