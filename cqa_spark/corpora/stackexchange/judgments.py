"""Judgments by site members: accepted answers."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.corpora.stackexchange.votes import ACCEPTED, end_of_day
from cqa_spark.lake.schemas.community import JUDGMENTS

PREFERRED_ANSWER = "preferred_answer"
ACCEPTED_ANSWER, OTHER_ANSWER = "Accepted", "NotAccepted"
"""Labels of the answers of a question whose asker accepted one."""


def judgments(posts: DataFrame, votes: DataFrame) -> DataFrame:
    """A row of ``JUDGMENTS`` for every answer whose question is in the dump.

    The label is Accepted, NotAccepted if the asker accepted another answer, or null if none; the initial rank follows
    time. An acceptance is known at the end of the day of its vote, because votes have no time of day.

    Args:
        posts: the table ``posts``.
        votes: the table ``votes``.
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", F.col("post_id").alias("thread_id"), "accepted_answer_id"
    )
    in_time = Window.partitionBy("site", "thread_id").orderBy(
        F.col("created_at").asc_nulls_last(), F.length("candidate_id"), "candidate_id"
    )
    answers = posts.where(F.col("post_type") == "answer").select(
        "site", F.col("post_id").alias("candidate_id"), "thread_id", "created_at", "source_file"
    )
    # The last vote counts, because an asker may withdraw an acceptance and accept again.
    accepting = (
        votes.where(F.col("vote_type_id") == ACCEPTED)
        .groupBy("site", F.col("post_id").alias("candidate_id"))
        .agg(F.max(end_of_day("created_at")).alias("accepted_at"))
    )
    asked = answers.join(questions, ["site", "thread_id"]).join(accepting, ["site", "candidate_id"], "left")
    is_accepted = F.col("candidate_id") == F.col("accepted_answer_id")
    label = F.when(is_accepted, ACCEPTED_ANSWER).when(F.col("accepted_answer_id").isNotNull(), OTHER_ANSWER)
    thread_known = F.max(F.when(is_accepted, F.col("accepted_at"))).over(Window.partitionBy("site", "thread_id"))
    return JUDGMENTS.conform(
        asked.select(
            "site",
            F.lit(PREFERRED_ANSWER).alias("task"),
            F.col("thread_id").alias("query_id"),
            "candidate_id",
            "thread_id",
            label.alias("label"),
            F.row_number().over(in_time).alias("initial_rank"),
            thread_known.alias("known_at"),
            F.lit(UNANNOTATED).alias("split"),
            "source_file",
        )
    )
