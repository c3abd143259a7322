"""Detects leakage: threads that are in both training and evaluation data."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, OUTSIDE_TRAINING, QUERY
from cqa_spark.tasks.fingerprint import fingerprints

SHOWN_THREADS = 20


def threads_of(examples: DataFrame, posts: DataFrame, comments: DataFrame) -> DataFrame:
    """The threads of queries, with the keys that identify copies.

    Args:
        examples: of the schema ``EXAMPLES``.
        posts: of the schema ``POSTS``.
        comments: of the schema ``COMMENTS``.

    Returns:
        site, task, split, query_id, fold_key (the thread that represents the query and its copies), fingerprint
        (null if the question has no letters), subject.
    """
    queries = examples.select("site", "task", "split", "query_id", "fold_key").distinct()
    asked = queries.select("site", F.col("query_id").alias("post_id"))
    marks = fingerprints(posts.join(asked, on=["site", "post_id"], how="left_semi"), comments)
    return queries.join(marks.withColumnRenamed("post_id", "query_id"), on=["site", "query_id"], how="left")


def training_threads(examples: DataFrame, posts: DataFrame, comments: DataFrame) -> DataFrame:
    """The training threads, as stored with a model; the arguments are those of ``threads_of``.

    Returns:
        site, task, query_id, fold_key, fingerprint.
    """
    return trained_on(threads_of(examples.where(IN_TRAINING), posts, comments))


def trained_on(threads: DataFrame) -> DataFrame:
    """The rows of ``threads_of`` in the training part, with the columns of ``training_threads``."""
    return threads.where(IN_TRAINING).select("site", "task", "query_id", "fold_key", "fingerprint")


def shared_threads(evaluated: DataFrame, trained: DataFrame) -> DataFrame:
    """Evaluation threads that are also training threads, by id or by text.

    Threads are compared within a task, by the thread that represents a query and its copies. Related threads that recur
    for another original question are not leaks in tasks B and C, because labels belong to the pair.

    Args:
        evaluated: as ``threads_of`` returns them.
        trained: as ``training_threads`` returns them.

    Returns:
        site, task, split (of the evaluation data), evaluated and trained (post ids), shared_by (id or text), subject.
    """
    by_text = _pairs(evaluated, trained, "fingerprint", "text").where(
        F.col("evaluated_thread") != F.col("trained_thread")
    )
    both = _pairs(evaluated, trained, "fold_key", "id").unionByName(by_text)
    return both.select("site", "task", "split", "evaluated", "trained", "shared_by", "subject")


def refuse_shared_threads(evaluated: DataFrame, trained: DataFrame) -> None:
    """Check that training and evaluation data share no thread; the arguments are those of ``shared_threads``.

    Raises:
        InputError: they share threads; the first ones are listed.
    """
    if _shared_keys(evaluated, trained).isEmpty():
        return
    shared = shared_threads(evaluated, trained)
    count = shared.count()
    rows = shared.orderBy("task", "split", "evaluated", "trained").limit(SHOWN_THREADS).collect()
    listed = [
        f"{row.task}: {row.split} {row.evaluated} = train {row.trained} (by {row.shared_by}), "
        f"{row.subject or 'no subject'}"
        for row in rows
    ]
    more = [f"and {count - len(rows)} more"] if count > len(rows) else []
    raise InputError(
        f"{count} threads are both in the training and in the evaluation data:\n    " + "\n    ".join(listed + more),
        "remove them from the training files and train again, or allow shared threads if this is intended",
    )


def without_labels_of_trained(examples: DataFrame, threads: DataFrame, trained: list[DataFrame]) -> DataFrame:
    """Remove the labels of training threads from evaluation examples, so that these are not evaluated.

    Args:
        examples: of the schema ``EXAMPLES``.
        threads: as ``threads_of`` returns them for the labelled examples.
        trained: training threads of models, as ``training_threads`` returns them.

    Returns:
        The examples; those of shared threads outside the training part are ``unannotated``.
    """
    shared = shared_threads(threads.where(OUTSIDE_TRAINING), reduce(DataFrame.unionByName, trained))
    queries = shared.select("site", "task", F.col("evaluated").alias("query_id")).distinct()
    marked = examples.join(queries.withColumn("is_shared", F.lit(True)), on=list(QUERY), how="left")
    is_kept = F.col("is_shared").isNull() | (F.col("split") == "train")
    changed = {name: F.when(is_kept, F.col(name)) for name in ("label", "relevant")}
    changed["split"] = F.when(is_kept, F.col("split")).otherwise(UNANNOTATED)
    return EXAMPLES.conform(marked.withColumns(changed).drop("is_shared"))


def _shared_keys(evaluated: DataFrame, trained: DataFrame) -> DataFrame:
    """The ids and fingerprints on both sides; empty if ``shared_threads`` is, and found by one shuffle."""
    keys = F.posexplode(F.array("fold_key", F.col("fingerprint").cast("string"))).alias("kind", "key")
    sides = [
        threads.select("site", "task", keys, F.lit(is_trained).alias("is_trained"))
        for threads, is_trained in ((evaluated, False), (trained, True))
    ]
    by_key = sides[0].unionByName(sides[1]).where("key IS NOT NULL").groupBy("site", "task", "kind", "key")
    return by_key.agg(F.min("is_trained").alias("all"), F.max("is_trained").alias("any")).where("any AND NOT all")


def _pairs(evaluated: DataFrame, trained: DataFrame, key: str, shared_by: str) -> DataFrame:
    evaluated, trained = evaluated.alias("evaluated"), trained.alias("trained")

    def same(name: str) -> Column:
        return F.col(f"evaluated.{name}") == F.col(f"trained.{name}")

    both = evaluated.join(trained, on=same("site") & same("task") & same(key), how="inner")
    return both.select(
        "evaluated.site", "evaluated.task", "evaluated.split", "evaluated.subject",
        F.col("evaluated.query_id").alias("evaluated"), F.col("trained.query_id").alias("trained"),
        F.col("evaluated.fold_key").alias("evaluated_thread"), F.col("trained.fold_key").alias("trained_thread"),
        F.lit(shared_by).alias("shared_by"),
    )  # fmt: skip
