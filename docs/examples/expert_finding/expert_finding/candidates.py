"""The candidates of every question: the users who have answered earlier questions with its tags."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from expert_finding.task import ACCEPTED, OTHER, Expert

CANDIDATES = 50
"""Candidates of a question: those with the most earlier answers."""


def expert_examples(posts: DataFrame) -> DataFrame:
    """The candidates of every question, with labels where an answer is accepted and its author is among them.

    Questions with labels are split by a hash of their ids: half for training, a quarter each for dev and test.

    Args:
        posts: the table ``posts``.

    Returns:
        Rows of ``EXAMPLES``.
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"), "accepted_answer_id", "tags",
    )  # fmt: skip
    answers = posts.where((F.col("post_type") == "answer") & F.col("user_id").isNotNull()).select(
        "site", F.col("post_id").alias("answer_id"), F.col("thread_id").alias("answered"),
        F.col("user_id").alias("author_id"), F.col("created_at").alias("at"),
    )  # fmt: skip
    tagged = questions.select("site", F.col("query_id").alias("answered"), F.explode("tags").alias("tag"))
    earlier = tagged.join(answers, on=["site", "answered"], how="inner")
    pairs = (
        questions.withColumn("tag", F.explode("tags"))
        .join(earlier, on=["site", "tag"], how="inner")
        .where((F.col("at") < F.col("asked_at")) & ~F.col("author_id").eqNullSafe(F.col("asker_id")))
    )
    counted = pairs.groupBy("site", "query_id", "asker_id", "asked_at", "accepted_answer_id", "author_id").agg(
        F.count_distinct("answer_id").alias("answers")
    )
    query = Window.partitionBy("site", "query_id")
    most_first = query.orderBy(F.col("answers").desc(), F.length("author_id"), "author_id")
    ranked = counted.withColumn("initial_rank", F.row_number().over(most_first))
    experts = {"answer_id": "accepted_answer_id", "author_id": "expert"}
    accepted = answers.withColumnsRenamed(experts).select("site", *experts.values())
    known = ranked.where(F.col("initial_rank") <= CANDIDATES).join(
        accepted, on=["site", "accepted_answer_id"], how="left"
    )
    is_expert = F.coalesce(F.col("author_id") == F.col("expert"), F.lit(False))
    is_labelled = F.max(is_expert).over(query)
    label = F.when(is_labelled, F.when(is_expert, ACCEPTED).otherwise(OTHER))
    rows = known.withColumns(
        {
            "candidate_id": F.concat(F.lit("user-"), "author_id"),
            "thread_id": F.col("query_id"),
            "answered_at": F.lit(None).cast("timestamp"),
            "label": label,
            "split": F.when(is_labelled, _split()).otherwise("unannotated"),
        }
    )
    return Expert().examples(rows)


def _split() -> Column:
    quarter = F.pmod(F.xxhash64("site", "query_id"), F.lit(4))
    return F.when(quarter < 2, "train").when(quarter < 3, "dev").otherwise("test")
