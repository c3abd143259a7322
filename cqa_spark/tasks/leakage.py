"""Refuse to measure on threads that were trained on."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.tasks.fingerprint import fingerprints

TRAIN = "train"
SHOWN_THREADS = 20


def shared_threads(examples: DataFrame, posts: DataFrame, comments: DataFrame) -> DataFrame:
    """Queries that are in the training split and, by id or by text, in another split too.

    Queries are compared within a task, by the thread that represents a query and its repeats: related threads that
    recur below another original question are no leak in tasks B and C, whose labels belong to the pair.

    Args:
        examples: of the schema ``EXAMPLES``.
        posts: of the schema ``POSTS``.
        comments: of the schema ``COMMENTS``.

    Returns:
        site, task, split (the one evaluated on), evaluated and trained (post ids), shared_by (id or text), subject.
    """
    queries = examples.select("site", "task", "split", "query_id", "fold_key").distinct()
    marks = fingerprints(posts, comments).withColumnRenamed("post_id", "query_id")
    known = queries.join(marks, on=["site", "query_id"], how="left")
    trained = known.where(F.col("split") == TRAIN).alias("trained")
    evaluated = known.where(F.col("split") != TRAIN).alias("evaluated")
    return _pairs(evaluated, trained, "fold_key", "id").unionByName(
        _pairs(evaluated, trained, "fingerprint", "text").where(F.col("evaluated_thread") != F.col("trained_thread"))
    ).select("site", "task", "split", "evaluated", "trained", "shared_by", "subject")  # fmt: skip


def refuse_shared_threads(examples: DataFrame, posts: DataFrame, comments: DataFrame) -> None:
    """Check that no thread is both trained and evaluated on; the arguments are those of ``shared_threads``.

    Raises:
        InputError: some are; the first of them are listed.
    """
    shared = shared_threads(examples, posts, comments)
    count = shared.count()
    if count:
        rows = shared.orderBy("task", "split", "evaluated", "trained").limit(SHOWN_THREADS).collect()
        listed = [
            f"{row.task}: {row.split} {row.evaluated} = {TRAIN} {row.trained} (by {row.shared_by}), "
            f"{row.subject or 'no subject'}"
            for row in rows
        ]
        more = [f"and {count - len(rows)} more"] if count > len(rows) else []
        raise InputError(
            f"{count} threads are both in the training and in the evaluation data:\n    "
            + "\n    ".join(listed + more),
            "take them out of the training files, or allow shared threads if this is meant",
        )


def _pairs(evaluated: DataFrame, trained: DataFrame, key: str, shared_by: str) -> DataFrame:
    def same(name: str) -> Column:
        return F.col(f"evaluated.{name}") == F.col(f"trained.{name}")

    both = evaluated.join(trained, on=same("site") & same("task") & same(key), how="inner")
    return both.select(
        "evaluated.site", "evaluated.task", "evaluated.split", "evaluated.subject",
        F.col("evaluated.query_id").alias("evaluated"), F.col("trained.query_id").alias("trained"),
        F.col("evaluated.fold_key").alias("evaluated_thread"), F.col("trained.fold_key").alias("trained_thread"),
        F.lit(shared_by).alias("shared_by"),
    )  # fmt: skip
