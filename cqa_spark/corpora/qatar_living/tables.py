"""Converts parsed threads to community tables."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

RANKS_PER_THREAD = 100
ORIGIN = ("site", "split", "source_file")


def posts_table(threads: DataFrame) -> DataFrame:
    """Questions of threads, and each original question once, as a thread without author or comments.

    Args:
        threads: site, source_file, split, file, byte_offset and the fields of ``parsed.THREAD``.
    """
    related = threads.select(
        *ORIGIN, F.col("thread_id").alias("post_id"), "same_as", "user_id", "created_at", "category", "subject", "body",
    )  # fmt: skip
    original = _original_questions(threads).select(
        *ORIGIN, "post_id", _unknown("same_as"), _unknown("user_id"), _unknown("created_at", "timestamp"),
        _unknown("category"), "subject", "body",
    )  # fmt: skip
    posts = related.unionByName(original)
    return posts.select(
        "site", "post_id", F.lit("question").alias("post_type"), F.col("post_id").alias("thread_id"), "same_as",
        "user_id", "created_at", "category", "subject", "body", "split", "source_file",
    )  # fmt: skip


def comments_table(threads: DataFrame) -> DataFrame:
    """Comments in thread order; the argument is that of ``posts_table``."""
    comments = threads.select(*ORIGIN, "thread_id", F.explode("comments").alias("comment"))
    return comments.select(
        "site", "comment.comment_id", F.col("thread_id").alias("post_id"), "thread_id", "comment.position",
        "comment.user_id", "comment.created_at", "comment.body", "split", "source_file",
    )  # fmt: skip


def users_table(threads: DataFrame) -> DataFrame:
    """The authors of questions and comments; the argument is that of ``posts_table``."""
    askers = threads.select("site", "user_id", "user_name")
    commenters = threads.select("site", F.explode("comments").alias("comment"))
    writers = askers.unionByName(commenters.select("site", "comment.user_id", "comment.user_name"))
    known = writers.where(F.col("user_id").isNotNull())
    return known.groupBy("site", "user_id").agg(F.min("user_name").alias("name"))


class JudgedTasks(NamedTuple):
    """The names of the tasks that the labels of the files judge.

    Attributes:
        comments: the comments of a question.
        questions: the related questions of an original question.
        related_comments: the comments of related questions, for an original question.
    """

    comments: str
    questions: str
    related_comments: str


def judgments_table(threads: DataFrame, tasks: JudgedTasks) -> DataFrame:
    """Judgments of all labels.

    Args:
        threads: as for ``posts_table``.
        tasks: names of the judged tasks.
    """
    judged = [
        _of_comments(threads).withColumn("task", F.lit(tasks.comments)),
        _of_questions(threads).withColumn("task", F.lit(tasks.questions)),
        _of_related_comments(threads).withColumn("task", F.lit(tasks.related_comments)),
    ]
    return reduce(DataFrame.unionByName, judged).select(
        "site", "task", "query_id", "candidate_id", "thread_id", "label", "initial_rank", "split", "source_file"
    )


def _original_questions(threads: DataFrame) -> DataFrame:
    """The first copy with a text; if several threads share one element, only the first has one."""
    copies = threads.where(F.col("original").isNotNull())
    has_text = F.coalesce(F.col("original.subject"), F.col("original.body")).isNotNull()
    copy = F.struct((~has_text).alias("empty"), "file", "byte_offset", "split", "source_file",
                    "original.subject", "original.body")  # fmt: skip
    by_id = copies.groupBy("site", F.col("original.original_id").alias("post_id"))
    first = by_id.agg(F.min(copy).alias("copy"))
    return first.select("site", "post_id", "copy.split", "copy.source_file", "copy.subject", "copy.body")


def _of_comments(threads: DataFrame) -> DataFrame:
    return _with_comments(threads).select(
        *ORIGIN,
        F.col("thread_id").alias("query_id"),
        F.col("comment.comment_id").alias("candidate_id"),
        "thread_id",
        F.col("comment.to_related").alias("label"),
        F.col("comment.position").alias("initial_rank"),
    )


def _of_questions(threads: DataFrame) -> DataFrame:
    return threads.where(F.col("original").isNotNull()).select(
        *ORIGIN,
        F.col("original.original_id").alias("query_id"),
        F.col("thread_id").alias("candidate_id"),
        "thread_id",
        F.col("relevance").alias("label"),
        F.col("ranking_order").alias("initial_rank"),
    )


def _of_related_comments(threads: DataFrame) -> DataFrame:
    """Ranks as in the official scorer's files: 100 times the related question's rank, plus the comment's position."""
    return _with_comments(threads.where(F.col("original").isNotNull())).select(
        *ORIGIN,
        F.col("original.original_id").alias("query_id"),
        F.col("comment.comment_id").alias("candidate_id"),
        "thread_id",
        F.col("comment.to_original").alias("label"),
        (F.col("ranking_order") * RANKS_PER_THREAD + F.col("comment.position")).alias("initial_rank"),
    )


def _with_comments(threads: DataFrame) -> DataFrame:
    return threads.withColumn("comment", F.explode("comments"))


def _unknown(name: str, data_type: str = "string") -> Column:
    return F.lit(None).cast(data_type).alias(name)
