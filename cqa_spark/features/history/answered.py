"""The answers of a site beside what their questions say of them."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def answered_questions(posts: DataFrame) -> DataFrame:
    """Every answer whose question is there.

    Args:
        posts: the table ``posts``.

    Returns:
        site, post_id (the answer), thread_id, user_id (who answered; null where deleted), created_at (of the answer),
        tags (the question's), is_accepted (whether it is the answer that the question names as accepted).
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", F.col("post_id").alias("thread_id"), "tags", "accepted_answer_id"
    )
    answers = posts.where(F.col("post_type") == "answer").select(
        "site", "thread_id", "post_id", "user_id", "created_at"
    )
    is_accepted = F.coalesce(F.col("post_id") == F.col("accepted_answer_id"), F.lit(False))
    joined = answers.join(questions, on=["thread_id", "site"])
    return joined.select(
        "site", "post_id", "thread_id", "user_id", "created_at", "tags", is_accepted.alias("is_accepted")
    )
