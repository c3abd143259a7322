"""How active a comment's author is in the community."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup
from cqa_spark.features.shared_accounts import person

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_LEARNED_FROM = ("train", "unannotated")

_FEATURES = {
    FeatureColumn("known", "1 where the author is one person", _SUPER_TEAM): "1",
    FeatureColumn("log_comments", "ln(1 + comments written)", _SUPER_TEAM, -1.0): "ln(1 + comments)",
    FeatureColumn("log_threads", "ln(1 + threads commented in)", _SUPER_TEAM, -1.0): "ln(1 + threads)",
    FeatureColumn("log_questions", "ln(1 + questions asked)", _NICOSIA, -1.0): "ln(1 + questions)",
    FeatureColumn(
        "comments_per_thread", "mean comments in a thread; 0 for none", _SUPER_TEAM, -1.0
    ): "comments / greatest(1, threads)",
    FeatureColumn(
        "mean_position", "mean place of the author's comments, from 1; 0 for none", "ours", -1.0
    ): "positions / greatest(1, comments)",
    FeatureColumn(
        "first_share", "share of the author's comments that come first in the thread", "ours", -1.0
    ): "firsts / greatest(1, comments)",
}
"""Each column with the Spark SQL expression over an author's counts that computes it."""


class AuthorActivityV1(LearnedTableGroup):
    """Counts over the training and the unannotated threads; an author who is not in them has counts of 0."""

    name: ClassVar[str] = "author_activity_v1"
    family: ClassVar[str] = "author"
    about: ClassVar[str] = "how much the author writes and asks in the community"
    entity: ClassVar[Entity] = Entity.AUTHOR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = False

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count what every author wrote in threads that are there to learn from."""
        return type(self)(_written(inputs).join(_asked(inputs), on=["site", "author_id"], how="full").na.fill(0))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each author who is one person."""
        authors = self.entities(inputs.examples).where(person("site", "author_id").isNotNull())
        values = feature_values(_FEATURES)
        return (
            authors.join(self.learned, on=["site", "author_id"], how="left")
            .na.fill(0)
            .select(*self.entity.key, *values)
        )


def _written(inputs: FeatureInputs) -> DataFrame:
    comments = inputs.comments.where(F.col("split").isin(*_LEARNED_FROM)).select(
        "site", person("site", "user_id").alias("author_id"), "thread_id", "position"
    )
    return (
        comments.where(F.col("author_id").isNotNull())
        .groupBy("site", "author_id")
        .agg(
            F.count(F.lit(1)).alias("comments"),
            F.countDistinct("thread_id").alias("threads"),
            F.sum("position").alias("positions"),
            F.count_if(F.col("position") == 1).alias("firsts"),
        )
    )


def _asked(inputs: FeatureInputs) -> DataFrame:
    questions = inputs.posts.where(F.col("split").isin(*_LEARNED_FROM) & (F.col("post_type") == "question"))
    askers = questions.select("site", person("site", "user_id").alias("author_id"))
    return (
        askers.where(F.col("author_id").isNotNull())
        .groupBy("site", "author_id")
        .agg(F.count(F.lit(1)).alias("questions"))
    )
