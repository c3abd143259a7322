"""How active a comment's author is in the community."""

from collections.abc import Callable, Mapping
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.aliases import by_id, person
from cqa_spark.features.arrays import Reals, counts, fields
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_facts import LearnedFactsGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import LEARNED_FROM, Fitted, TrainingData
from cqa_spark.spark.internals import scan_of

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_COUNTS = ("comments", "threads", "positions", "firsts", "questions")

_Counts = Mapping[str, Reals]

_FEATURES: Mapping[FeatureColumn, Callable[[_Counts], ArrayLike]] = {
    FeatureColumn("known", "1 if the author is one person", _SUPER_TEAM): (
        lambda author: np.ones_like(author["comments"])
    ),
    FeatureColumn("log_comments", "ln(1 + comments written)", _SUPER_TEAM, -1.0): (
        lambda author: np.log(1 + author["comments"])
    ),
    FeatureColumn("log_threads", "ln(1 + threads commented in)", _SUPER_TEAM, -1.0): (
        lambda author: np.log(1 + author["threads"])
    ),
    FeatureColumn("log_questions", "ln(1 + questions asked)", _NICOSIA, -1.0): (
        lambda author: np.log(1 + author["questions"])
    ),
    FeatureColumn("comments_per_thread", "mean comments in a thread; 0 for none", _SUPER_TEAM, -1.0): (
        lambda author: author["comments"] / np.maximum(1, author["threads"])
    ),
    FeatureColumn("mean_position", "mean place of the author's comments, from 1; 0 for none", "ours", -1.0): (
        lambda author: author["positions"] / np.maximum(1, author["comments"])
    ),
    FeatureColumn("first_share", "share of the author's comments that come first in the thread", "ours", -1.0): (
        lambda author: author["firsts"] / np.maximum(1, author["comments"])
    ),
}
"""Each column with the function that computes it from the authors' counts."""


class AuthorActivityV1(LearnedFactsGroup):
    """Counts over the training and the unannotated threads; 0 for authors who do not occur in them."""

    name = "author_activity_v1"
    family = "author"
    about = "how much the author writes and asks in the community"
    entity = Entity.AUTHOR
    columns = tuple(_FEATURES)
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
        return Fitted(cls(scan_of(of_people.persist())))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate whose author is one person."""
        is_person = batch.examples.column("account").is_valid().to_numpy()
        known = fields(batch.facts(self.name))
        author = {name: counts(known[name]) for name in _COUNTS}
        return {each.name: np.where(is_person, compute(author), np.nan) for each, compute in _FEATURES.items()}


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
