"""Whether query and candidate are about the same things."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame

from cqa_spark.features.group import Entity, FeatureColumn, FittedTableGroup, feature_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_texts import learned_threads
from cqa_spark.features.pair_texts import pair_texts
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.text.topics import Topics

_TERMS = "stems"
_SIDES = {"query": "the query", "subject": "the query's subject"}

_TOPICS = "Blei et al. 2003, Latent Dirichlet allocation; Mihaylov and Nakov 2016, SemanticZ at SemEval-2016 Task 3"
_DIVERGENCE = "Lin 1991, Divergence measures based on the Shannon entropy"


def _sum(values: str) -> str:
    return f"aggregate({values}, 0D, (sum, value) -> sum + value)"


def _product(one: str, other: str) -> str:
    return _sum(f"zip_with({one}, {other}, (p, q) -> p * q)")


def _divergence(one: str, other: str) -> str:
    """Jensen-Shannon divergence in bits, so from 0 to 1; shares are never 0."""
    return f"{_sum(f'zip_with({one}, {other}, (p, q) -> p * log2(2 * p / (p + q)) + q * log2(2 * q / (p + q)))')} / 2"


def _measures(side: str) -> dict[FeatureColumn, str]:
    """The features of one side, each with its SQL over the pair's topics."""
    asked, said, both = f"{side}.topics", "candidate.topics", f"{_SIDES[side]} and the candidate"
    return {
        FeatureColumn(
            f"{side}_cosine", f"cosine of the topic shares of {both}", _TOPICS
        ): f"{_product(asked, said)} / sqrt({_product(asked, asked)} * {_product(said, said)})",
        FeatureColumn(
            f"{side}_divergence", f"Jensen-Shannon divergence of the topic shares of {both}, bits", _DIVERGENCE, 1.0
        ): _divergence(asked, said),
        FeatureColumn(
            f"{side}_topic_share", f"share of the candidate that is about the main topic of {_SIDES[side]}", _TOPICS
        ): f"{said}[array_position({asked}, array_max({asked})) - 1]",
    }


_FEATURES = {
    **{feature: sql for side in _SIDES for feature, sql in _measures(side).items()},
    FeatureColumn("main_share", "share of the candidate's main topic", _TOPICS): "array_max(candidate.topics)",
}


class TopicSimilarityV1(FittedTableGroup):
    """Compares topic shares; learns topics of stems.

    Args:
        topics: of stems; None before the group is fitted.
    """

    name: ClassVar[str] = "topic_similarity_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "similarity of the candidate and the query by what they are about"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = False

    def __init__(self, topics: Topics | None = None) -> None:
        self._topics = topics

    @property
    def topics(self) -> Topics:
        """What was learned.

        Raises:
            ContractError: the group is not fitted.
        """
        return self.require_fitted(self._topics)

    def fit(self, inputs: FeatureInputs) -> Self:
        """Learn topics from the training and unannotated threads, whatever the examples.

        A whole thread is a text: in single comments too few words meet (Hong and Davison 2010, Empirical study of
        topic modeling in Twitter).
        """
        return type(self)(Topics.learn(learned_threads(inputs, _TERMS), _TERMS))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the topics of each pair."""
        pairs = self.entities(inputs.examples)
        described = pair_texts(pairs, inputs, self.topics.shares)
        return described.select(*self.entity.key, *feature_values(_FEATURES))

    def save(self, folder: NewModelFolder) -> None:
        """Write the topics."""
        self.topics.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the topics."""
        return cls(Topics.load(folder))
