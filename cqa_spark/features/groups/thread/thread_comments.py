"""The comments of the threads that examples speak of, and who asked what they answer."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.shared_accounts import person


def thread_comments(inputs: FeatureInputs) -> DataFrame:
    """All comments of the examples' threads, whether they are examples or not.

    Returns:
        ``site``, ``post_id``, ``candidate_id`` (the comment), ``position``, ``author`` and ``asker`` (null where that
        is not one known person), ``author_name``, ``created_at``, ``asked_at``.
    """
    threads = inputs.examples.select("site", "thread_id").distinct()
    comments = inputs.comments.join(threads, on=["site", "thread_id"], how="left_semi")
    questions = inputs.posts.select(
        "site", "post_id", person("site", "user_id", "user_name").alias("asker"), F.col("created_at").alias("asked_at")
    )
    return comments.select(
        "site",
        "post_id",
        F.col("comment_id").alias("candidate_id"),
        "position",
        person("site", "user_id", "user_name").alias("author"),
        F.col("user_name").alias("author_name"),
        "created_at",
    ).join(questions, on=["site", "post_id"], how="left")
