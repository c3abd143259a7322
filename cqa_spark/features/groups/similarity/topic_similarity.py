"""Similarity of query and candidate by topics."""

from typing import Self

import numpy as np

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.learned_group import StateGroup
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import Fitted, TrainingData, learned_threads
from cqa_spark.text.topics import Topics

_TERMS = "stems"
_SIDES = {"query": "the query", "subject": "the query's subject"}

_TOPICS = "Blei et al. 2003, Latent Dirichlet allocation; Mihaylov and Nakov 2016, SemanticZ at SemEval-2016 Task 3"
_DIVERGENCE = "Lin 1991, Divergence measures based on the Shannon entropy"


def cosine(first: Reals, second: Reals) -> Reals:
    """Row-wise cosine of topic shares."""
    length = np.sqrt((first * first).sum(axis=1) * (second * second).sum(axis=1))
    cosines: Reals = (first * second).sum(axis=1) / length
    return cosines


def divergence(first: Reals, second: Reals) -> Reals:
    """Row-wise Jensen-Shannon divergence of topic shares in bits, from 0 to 1; shares are never 0."""
    mean = (first + second) / 2
    divergences: Reals = (first * np.log2(first / mean) + second * np.log2(second / mean)).sum(axis=1) / 2
    return divergences


def topic_share(first: Reals, second: Reals) -> Reals:
    """The share of each row's main topic in the other row."""
    shares = np.take_along_axis(second, np.argmax(first, axis=1)[:, None], axis=1)[:, 0]
    return np.where(np.isnan(first[:, 0]), np.nan, shares)


def _columns(side: str, about: str) -> tuple[FeatureColumn, ...]:
    both = f"{about} and the candidate"
    return (
        FeatureColumn(f"{side}_cosine", f"cosine of the topic shares of {both}", _TOPICS),
        FeatureColumn(
            f"{side}_divergence", f"Jensen-Shannon divergence of the topic shares of {both}, bits", _DIVERGENCE, 1.0
        ),
        FeatureColumn(f"{side}_topic_share", f"share in the candidate of the main topic of {about}", _TOPICS),
    )


class TopicSimilarityV2(StateGroup[Topics], FittedQueryGroup):
    """Similarity of topic shares; fits a topic model of stems.

    Args:
        state: the topic model of stems.
    """

    name = "topic_similarity_v2"
    family = "similarity"
    about = "similarity of the candidate and the query by topics"
    entity = Entity.PAIR
    libraries = ("sklearn.decomposition",)
    columns = (
        *(column for side, about in _SIDES.items() for column in _columns(side, about)),
        FeatureColumn("main_share", "share in the candidate of its main topic", _TOPICS),
    )
    learns_from_labels = False
    state_type = Topics

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Fit topics on all training and unannotated threads.

        Each thread is first text, because single comments have too few co-occurring words (Hong and Davison 2010,
        Empirical study of topic modeling in Twitter).
        """
        return Fitted(cls(Topics.learn(learned_threads(training.inputs, _TERMS), _TERMS)))

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the topics of each pair."""
        shares = batch.texts.derive(_shares, self.state)
        candidates = shares[batch.candidate_text]
        values = {"main_share": candidates.max(axis=1)}
        for side, texts in (("query", batch.query_text), ("subject", batch.subject_text)):
            queries = shares[texts]
            values[f"{side}_cosine"] = cosine(queries, candidates)
            values[f"{side}_divergence"] = divergence(queries, candidates)
            values[f"{side}_topic_share"] = topic_share(queries, candidates)
        return values


def _shares(texts: Texts, topics: Topics) -> Reals:
    """The topics of each text; the last row, at ``ABSENT``, is NaN."""
    shares = topics.shares(texts.column(_TERMS))
    return np.concatenate([shares, np.full((1, shares.shape[1]), np.nan)])
