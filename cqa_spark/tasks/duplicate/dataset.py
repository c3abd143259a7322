"""Examples of task E: queries split by time, their candidates, and the duplicates that retrieval missed."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.task_contract.contract import Task

DUPLICATE_LABEL = "Duplicate"
OTHER_LABEL = "NotDuplicate"

TRAINING, MEASURED = 0.5, 0.75
"""Quantiles of a site's questions, by time, at which the training and the development split end."""


def split_queries(
    posts: DataFrame, pairs: DataFrame, *, annotated_only: bool, published: DataFrame | None = None
) -> DataFrame:
    """The queries, with their split.

    By time, the first half of a site's questions is train, the next quarter dev, the last test. On a site with
    published queries, these keep their split, and all others are unannotated: a duplicate is closed only after it is
    asked.

    Args:
        posts: the table ``posts``.
        pairs: as ``duplicate_pairs`` returns them.
        annotated_only: keep only questions with a known duplicate, for sites whose list of duplicates is a sample.
        published: site, query_id and split of published queries.

    Returns:
        site, query_id, split, cluster (null without a duplicate), asker_id, asked_at.
    """
    asked = _in_time(posts.where(F.col("post_type") == "question")).select(
        "site",
        F.col("post_id").alias("query_id"),
        "place",
        F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"),
    )
    part = F.when(F.col("place") < TRAINING, "train").when(F.col("place") < MEASURED, "dev").otherwise("test")
    known = pairs.groupBy("site", "query_id").agg(F.first("cluster").alias("cluster"))
    how = "inner" if annotated_only else "left"
    queries = asked.join(known, ["site", "query_id"], how).withColumn("split", part).drop("place")
    return queries if published is None else _keep_splits(queries, published)


def _in_time(questions: DataFrame) -> DataFrame:
    """Add ``place``: the percent rank by time in the site. A task sorts the questions of days, not of whole sites."""
    dated = questions.withColumn("day", F.coalesce(F.to_date("created_at"), F.to_date(F.lit("0001-01-01"))))
    days, of_site = dated.groupBy("site", "day").agg(F.count("*").alias("asked")), Window.partitionBy("site")
    known = days.select(
        "site", "day",
        (F.sum("asked").over(of_site.orderBy("day")) - F.col("asked")).alias("before"),
        F.sum("asked").over(of_site).alias("all"),
    )  # fmt: skip
    of_day = Window.partitionBy("site", "day").orderBy(
        F.col("created_at").asc_nulls_first(), F.col("post_id").cast("bigint"), "post_id"
    )
    earlier = F.col("before") + F.row_number().over(of_day) - 1
    return dated.join(known, ["site", "day"]).withColumn("place", earlier / F.greatest(F.col("all") - 1, F.lit(1)))


def _keep_splits(queries: DataFrame, published: DataFrame) -> DataFrame:
    kept = published.withColumnRenamed("split", "kept")
    sites = F.broadcast(published.select("site", F.lit(True).alias("is_published")).distinct())
    of_others = F.when(F.col("is_published"), UNANNOTATED).otherwise(F.col("split"))
    joined = queries.join(kept, ["site", "query_id"], "left").join(sites, "site", "left")
    return joined.withColumn("split", F.coalesce("kept", of_others)).drop("kept", "is_published")


def examples_of(task: Task, queries: DataFrame, retrieved: DataFrame, pairs: DataFrame, posts: DataFrame) -> DataFrame:
    """The candidates of every query; without labels on a site of which no duplicate is known.

    Args:
        task: the task of duplicates.
        queries: as ``split_queries`` returns them.
        retrieved: rows of ``RETRIEVED``.
        pairs: as ``duplicate_pairs`` returns them.
        posts: the table ``posts``.

    Returns:
        Rows of ``EXAMPLES``.
    """
    candidates = retrieved.select("site", "query_id", "candidate_id", F.col("rank").alias("initial_rank"))
    is_duplicate = pairs.select("site", "query_id", "candidate_id", F.lit(DUPLICATE_LABEL).alias("found"))
    judged = candidates.join(is_duplicate, ["site", "query_id", "candidate_id"], "left")
    measurable = F.broadcast(pairs.select("site", F.lit(True).alias("is_measurable")).distinct())
    rows = judged.join(measurable, "site", "left").join(queries, ["site", "query_id"])
    return _examples(task, rows, posts, F.when(F.col("is_measurable"), F.coalesce("found", F.lit(OTHER_LABEL))))


def unretrieved_of(
    task: Task, queries: DataFrame, retrieved: DataFrame, pairs: DataFrame, posts: DataFrame
) -> DataFrame:
    """The duplicates that retrieval missed; arguments as for ``examples_of``.

    Returns:
        Rows with the columns of ``EXAMPLES``.
    """
    missed = pairs.drop("cluster").join(retrieved, ["site", "query_id", "candidate_id"], "left_anti")
    ranked = missed.select("site", "query_id", "candidate_id", F.lit(0).alias("initial_rank"))
    return _examples(task, ranked.join(queries, ["site", "query_id"]), posts, F.lit(DUPLICATE_LABEL))


def _examples(task: Task, rows: DataFrame, posts: DataFrame, label: Column) -> DataFrame:
    written = task.written(posts, posts).withColumnsRenamed({"user_id": "author_id", "created_at": "answered_at"})
    dated = rows.join(written, ["site", "candidate_id"])
    return task.examples(dated.withColumns({"thread_id": F.col("candidate_id"), "label": label}))
