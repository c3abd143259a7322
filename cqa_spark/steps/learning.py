"""Trains a system on examples with features, and writes the card of what it learned from."""

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import cqa_spark
from cqa_spark.errors import InputError
from cqa_spark.examples.leakage import training_threads
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.probe import values_hash
from cqa_spark.lake.schemas.examples import IN_TRAINING
from cqa_spark.systems.model_card import LearnedSite, ModelCard
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem

LICENCE = "CC BY-SA, of the version that each post states, or of its time where it states none"
"""Of the public data of Stack Exchange, the only dumps whose nights are replayed."""


def learn(
    system: System,
    frame: DataFrame,
    posts: DataFrame,
    comments: DataFrame,
    groups: Mapping[str, FeatureGroup],
    training_run: str,
) -> TrainedSystem:
    """Train a system on replayed nights.

    Args:
        system: the recipe.
        frame: examples of nights with the system's features; read several times. Those of the split train are learned.
        posts: of the schema ``POSTS``.
        comments: of the schema ``COMMENTS``.
        groups: the system's feature groups, by name.
        training_run: id of the run.

    Raises:
        InputError: there is not enough to learn from.
    """
    examples = frame.where(IN_TRAINING)
    card, threads = card_of(system, examples, posts), training_threads(examples, posts, comments)
    return TrainedSystem(system, system.build().fit(examples), groups, training_run, threads, card=card)


def card_of(system: System, examples: DataFrame, posts: DataFrame) -> ModelCard:
    """The card of a system that learned from replayed nights, without figures.

    Args:
        system: the recipe.
        examples: of the training split.
        posts: of the schema ``POSTS``.

    Raises:
        InputError: no thread has a label.
    """
    card = ModelCard(
        version=cqa_spark.__version__,
        sites=learned_sites(examples, posts),
        features=values_hash(system.feature_groups),
        licence=LICENCE,
    )
    if card.labels == 0:
        raise nothing_to_learn_from(system.name)
    return card


def nothing_to_learn_from(system: str) -> InputError:
    """The error of a system without a label on any replayed night."""
    return InputError(
        f"{system} has nothing to learn from: no question had two answers on a night before one of them was accepted",
        "give more dumps, with Votes.xml, which dates acceptances",
    )


def learned_sites(examples: DataFrame, posts: DataFrame) -> tuple[LearnedSite, ...]:
    """What there is to learn from on each site.

    Args:
        examples: training examples; a query has a label if one of its candidates is relevant.
        posts: all posts of the sites.
    """
    thread, query = F.col("fold_key"), F.col("query_id")
    counted = examples.groupBy("site").agg(
        F.count_distinct(thread).alias("threads"),
        F.count_distinct(F.when(F.col("relevant"), thread)).alias("labels"),
        F.count_distinct(F.when(F.col("relevant"), query)).alias("queries"),
    )
    dated = posts.groupBy("site").agg(
        F.to_date(F.max("created_at")).alias("newest"),
        F.array_sort(F.collect_set("content_license")).alias("licences"),
    )
    rows = counted.join(dated, on="site").orderBy("site").collect()
    return tuple(LearnedSite.model_validate(row.asDict()) for row in rows)
