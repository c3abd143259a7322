"""Converts parsed threads to community tables."""

from functools import partial, reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

RANKS_PER_THREAD = 100
ORIGIN = ("site", "split", "source_file")


_QUESTION = ("same_as", "user_id", "created_at", "category", "tags", "score", "view_count", "subject", "body")


def posts_table(threads: DataFrame) -> DataFrame:
    """Questions of threads with their answers, and each original question once, as a thread without author or replies.

    Args:
        threads: site, source_file, split, file, byte_offset and the fields of ``parsed.THREAD``.
    """
    accepted = F.filter("answers", lambda answer: answer["accepted"])
    related = threads.select(
        *ORIGIN, F.col("thread_id").alias("post_id"), "thread_id", F.lit("question").alias("post_type"),
        F.get(accepted, F.lit(0))["answer_id"].alias("accepted_answer_id"), *_QUESTION,
    )  # fmt: skip
    original = _original_questions(threads).withColumns({"thread_id": F.col("post_id"), "post_type": F.lit("question")})
    answers = threads.select(*ORIGIN, "thread_id", F.explode("answers").alias("answer")).select(
        *ORIGIN, F.col("answer.answer_id").alias("post_id"), "thread_id", F.lit("answer").alias("post_type"),
        *[f"answer.{name}" for name in ("user_id", "created_at", "score", "body")],
    )  # fmt: skip
    return reduce(partial(DataFrame.unionByName, allowMissingColumns=True), [related, original, answers])


def comments_table(threads: DataFrame) -> DataFrame:
    """Comments on a question or an answer, in their order; the argument is that of ``posts_table``."""
    return _comments(threads).select(
        "site", "comment.comment_id", "post_id", "thread_id", "comment.position", "comment.user_id",
        "comment.created_at", "comment.score", "comment.body", "split", "source_file",
    )  # fmt: skip


def users_table(threads: DataFrame) -> DataFrame:
    """The authors of questions, answers and comments; the argument is that of ``posts_table``."""
    answers = threads.select("site", F.explode("answers").alias("answer"))
    authors = (
        threads.select("site", "user_id", "user_name"),
        answers.select("site", "answer.user_id", "answer.user_name"),
        _comments(threads).select("site", "comment.user_id", "comment.user_name"),
    )
    known = reduce(DataFrame.unionByName, authors).where(F.col("user_id").isNotNull())
    return known.groupBy("site", "user_id").agg(F.min("user_name").alias("name"))


def _comments(threads: DataFrame) -> DataFrame:
    """The comments with the post that they are on."""
    posts = F.concat(
        F.array(F.struct(F.col("thread_id").alias("post_id"), "comments")),
        F.transform("answers", lambda answer: F.struct(answer["answer_id"].alias("post_id"), answer["comments"])),
    )
    with_posts = threads.select(*ORIGIN, "thread_id", F.explode(posts).alias("post"))
    return with_posts.select(*ORIGIN, "thread_id", "post.post_id", F.explode("post.comments").alias("comment"))


class JudgedTasks(NamedTuple):
    """The names of the tasks that the labels of the files judge.

    Attributes:
        questions: the related questions of an original question.
        comments: the comments of a question; None if they are not judged.
        related_comments: the comments of related questions, for an original question; None if they are not judged.
    """

    questions: str
    comments: str | None = None
    related_comments: str | None = None


def judgments_table(threads: DataFrame, tasks: JudgedTasks) -> DataFrame:
    """Judgments of all labels.

    Ranks of related comments are as in the official scorer's files: 100 times the related question's rank, plus the
    comment's position.

    Args:
        threads: as for ``posts_table``.
        tasks: names of the judged tasks.
    """
    related = threads.where(F.col("original").isNotNull())
    rank = F.col("ranking_order") * RANKS_PER_THREAD + F.col("comment.position")
    query, candidate = "original.original_id", "comment.comment_id"
    judged: list[tuple[str | None, DataFrame, str, str, str, str | Column]] = [
        (tasks.comments, _with_comments(threads), "thread_id", candidate, "comment.to_related", "comment.position"),
        (tasks.questions, related, query, "thread_id", "relevance", "ranking_order"),
        (tasks.related_comments, _with_comments(related), query, candidate, "comment.to_original", rank),
    ]
    names = ("query_id", "candidate_id", "label", "initial_rank")
    tables = [
        rows.select(
            "site", F.lit(task).alias("task"), "thread_id", "split", "source_file",
            *[(value if isinstance(value, Column) else F.col(value)).alias(name)
              for name, value in zip(names, values, strict=True)],
        )
        for task, rows, *values in judged
        if task is not None
    ]  # fmt: skip
    return reduce(DataFrame.unionByName, tables)


def _original_questions(threads: DataFrame) -> DataFrame:
    """The first copy with a text; if several threads share one element, only the first has one."""
    copies = threads.where(F.col("original").isNotNull())
    has_text = F.coalesce(F.col("original.subject"), F.col("original.body")).isNotNull()
    copy = F.struct((~has_text).alias("empty"), "file", "byte_offset", "split", "source_file",
                    "original.subject", "original.body")  # fmt: skip
    by_id = copies.groupBy("site", F.col("original.original_id").alias("post_id"))
    first = by_id.agg(F.min(copy).alias("copy"))
    return first.select("site", "post_id", "copy.split", "copy.source_file", "copy.subject", "copy.body")


def _with_comments(threads: DataFrame) -> DataFrame:
    return threads.withColumn("comment", F.explode("comments"))
