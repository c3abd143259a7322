"""Questions with their answers: who asked, who answered, when, and when one looks at them."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import FeatureInputs


def known_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs of the examples with their people and times.

    Args:
        inputs: the tables; a pair whose question or answer is not among the posts is left out.

    Returns:
        site, query_id, candidate_id, thread_id, asker_id and author_id (null where unknown), asked_at, answered_at and
        cut (timestamps; null where unknown).
    """
    pairs = inputs.examples.select("site", "query_id", "candidate_id", "thread_id", "author_id")
    questions = inputs.posts.select(
        "site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"),
    )  # fmt: skip
    answers = inputs.posts.select(
        "site", F.col("post_id").alias("candidate_id"), F.col("created_at").alias("answered_at")
    )
    dated = pairs.join(questions, on=["site", "query_id"]).join(answers, on=["site", "candidate_id"])
    return dated.withColumn("cut", F.expr(inputs.cut.sql))


def dated_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs whose cut is known; of the others nothing can be said as of a moment."""
    return known_pairs(inputs).where(F.col("cut").isNotNull())
