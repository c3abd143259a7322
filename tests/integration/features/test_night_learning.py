"""What a model of nights learned from, on a literal community."""

from datetime import date

import pytest
from literal_answers import community
from pyspark.sql import SparkSession

from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.examples import IN_TRAINING
from cqa_spark.steps.train import card_of, learned_sites
from cqa_spark.systems.system import read_system
from cqa_spark.tasks.preferred_answer.backtest import night_examples
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer


def test_a_card_counts_threads_labels_and_nights_of_each_site(spark: SparkSession) -> None:
    inputs = community(spark)
    examples = night_examples(PreferredAnswer.name, inputs.posts, inputs.needed("votes")).where(IN_TRAINING)
    (found,) = learned_sites(examples, inputs.posts)
    # Question 1 has an undecided night; question 2 three nights before its acceptance.
    assert (found.threads, found.labels, found.queries) == (2, 1, 3)
    assert (found.newest, found.licences) == (date(2020, 4, 2), ())


def test_without_votes_there_is_nothing_to_learn_from(spark: SparkSession) -> None:
    posts = community(spark).posts
    examples = night_examples(PreferredAnswer.name, posts, VOTES.empty(spark)).where(IN_TRAINING)
    with pytest.raises(InputError, match="night_answers has nothing to learn from: no question had two answers"):
        card_of(read_system("night_answers"), examples, posts)
