"""How active a comment's author is in the community."""

from typing import Self

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.aliases import by_id, person
from cqa_spark.features.arrays import counts, fields
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_facts import LearnedFactsGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import LEARNED_FROM, Fitted, TrainingData
from cqa_spark.spark.persistence import persist

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_COUNTS = ("comments", "threads", "positions", "firsts", "questions")


class AuthorActivityV1(LearnedFactsGroup):
    """Counts over the training and the unannotated threads; 0 for authors who do not occur in them."""

    name = "author_activity_v1"
    family = "author"
    about = "how much the author writes and asks in the community"
    entity = Entity.AUTHOR
    columns = (
        FeatureColumn("known", "1 if the author is one person", _SUPER_TEAM),
        FeatureColumn("log_comments", "ln(1 + comments written)", _SUPER_TEAM, -1.0),
        FeatureColumn("log_threads", "ln(1 + threads commented in)", _SUPER_TEAM, -1.0),
        FeatureColumn("log_questions", "ln(1 + questions asked)", _NICOSIA, -1.0),
        FeatureColumn("comments_per_thread", "mean comments in a thread; 0 for none", _SUPER_TEAM, -1.0),
        FeatureColumn("mean_position", "mean place of the author's comments, from 1; 0 for none", "ours", -1.0),
        FeatureColumn("first_share", "share of the author's comments that come first in the thread", "ours", -1.0),
    )
    learns_from_labels = False

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the posts and comments of every author in the training and unannotated threads."""
        inputs = training.inputs
        counted = _written(inputs).join(_asked(inputs), on=["site", "account"], how="full").na.fill(0)
        alias = by_id("account")
        of_people = counted.select(
            "site", alias.alias("alias"), alias.alias("person"), F.lit(False).alias("named"), *_COUNTS
        )
        return Fitted(cls(persist(of_people)))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate whose author is one person."""
        is_person = batch.examples.column("account").is_valid().to_numpy()
        known = fields(batch.facts(self.name))
        author = {name: counts(known[name]) for name in _COUNTS}
        values = {
            "known": np.ones_like(author["comments"]),
            "log_comments": np.log(1 + author["comments"]),
            "log_threads": np.log(1 + author["threads"]),
            "log_questions": np.log(1 + author["questions"]),
            "comments_per_thread": author["comments"] / np.maximum(1, author["threads"]),
            "mean_position": author["positions"] / np.maximum(1, author["comments"]),
            "first_share": author["firsts"] / np.maximum(1, author["comments"]),
        }
        return {name: np.where(is_person, column, np.nan) for name, column in values.items()}


def _written(inputs: FeatureInputs) -> DataFrame:
    comments = inputs.comments.where(F.col("split").isin(*LEARNED_FROM)).select(
        "site", person("site", "user_id").alias("account"), "thread_id", "position"
    )
    return (
        comments.where(F.col("account").isNotNull())
        .groupBy("site", "account")
        .agg(
            F.count(F.lit(1)).alias("comments"),
            F.countDistinct("thread_id").alias("threads"),
            F.sum("position").alias("positions"),
            F.count_if(F.col("position") == 1).alias("firsts"),
        )
    )


def _asked(inputs: FeatureInputs) -> DataFrame:
    questions = inputs.posts.where(F.col("split").isin(*LEARNED_FROM) & (F.col("post_type") == "question"))
    askers = questions.select("site", person("site", "user_id").alias("account"))
    return (
        askers.where(F.col("account").isNotNull()).groupBy("site", "account").agg(F.count(F.lit(1)).alias("questions"))
    )
