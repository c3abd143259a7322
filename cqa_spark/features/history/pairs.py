"""Questions with their answers: who asked, who answered, when, and when one looks at them."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.history.cut import Cut
from cqa_spark.features.inputs import FeatureInputs


def known_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs of the examples with their people and times.

    Args:
        inputs: the tables; a pair whose question or answer is not among the posts is left out.

    Returns:
        site, query_id, candidate_id, thread_id, asker_id and author_id (null where unknown), asked_at, answered_at and
        cut (timestamps; null where unknown).
    """
    return pairs_of(inputs.examples, inputs.posts, inputs.cut)


def pairs_of(examples: DataFrame, posts: DataFrame, cut: Cut) -> DataFrame:
    """What ``known_pairs`` gives, of some examples."""
    pairs = examples.select("site", "query_id", "candidate_id", "thread_id", "author_id")
    questions = posts.select(
        "site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"),
    )  # fmt: skip
    answers = posts.select("site", F.col("post_id").alias("candidate_id"), F.col("created_at").alias("answered_at"))
    dated = pairs.join(questions, on=["query_id", "site"]).join(answers, on=["candidate_id", "site"])
    return dated.withColumn("cut", F.expr(cut.sql))


def dated_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs whose cut is known; of the others nothing can be said as of a moment."""
    return known_pairs(inputs).where(F.col("cut").isNotNull())
