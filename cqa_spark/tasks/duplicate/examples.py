"""Examples of task E from a dump: clusters of duplicates, queries split by time, candidates, and missed duplicates."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.activity import DUPLICATE_LINK
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.task_contract.contract import Task
from cqa_spark.tasks.duplicate.task import DUPLICATE_LABEL, OTHER_LABEL

_CLUSTERS = "site string, post_id string, component bigint"
_NUMBER = "try_cast(post_id AS bigint)"  # ids of question lists may be words


def clusters(posts: DataFrame, post_links: DataFrame) -> DataFrame:
    """The questions with duplicate links, and the cluster of each: links are closed transitively.

    Links to questions missing from the dump are ignored. One task processes all links of a site, because they are few
    compared to its posts.

    Args:
        posts: the table ``posts``.
        post_links: the table ``post_links``; links of other kinds are ignored.

    Returns:
        site, post_id, cluster (id of its oldest question), order (from 1, by time, then number).
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", "post_id", F.col("created_at").alias("at"), F.expr(_NUMBER).alias("number")
    )
    ends = [questions.select("site", F.col("post_id").alias(name)) for name in ("query_id", "candidate_id")]
    links = post_links.where(F.col("link_type_id") == DUPLICATE_LINK).select(
        "site", F.col("post_id").alias("query_id"), F.col("related_post_id").alias("candidate_id")
    )
    complete = links.join(ends[0], ["site", "query_id"]).join(ends[1], ["site", "candidate_id"])
    by_site = complete.select("site", "query_id", "candidate_id").repartition("site").sortWithinPartitions("site")
    members = by_site.mapInArrow(component_batches, _CLUSTERS).join(questions, ["site", "post_id"])
    in_time = Window.partitionBy("site", "component").orderBy(F.col("at").asc_nulls_first(), "number", "post_id")
    return members.select(
        "site",
        "post_id",
        F.first("post_id").over(in_time).alias("cluster"),
        F.row_number().over(in_time).alias("order"),
    )


def duplicate_pairs(clustered: DataFrame) -> DataFrame:
    """Pairs of a question and an earlier question of its cluster: site, query_id, candidate_id, cluster."""
    queries = clustered.select(
        "site", "cluster", F.col("post_id").alias("query_id"), F.col("order").alias("query_order")
    )
    earlier = clustered.select("site", "cluster", F.col("post_id").alias("candidate_id"), "order")
    pairs = queries.join(earlier, ["site", "cluster"]).where(F.col("order") < F.col("query_order"))
    return pairs.select("site", "query_id", "candidate_id", "cluster")


def component_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Number the connected components of each site's links.

    Args:
        batches: site, query_id and candidate_id of every link.

    Yields:
        One batch per site: site, post_id, component.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    received = list(batches)
    if not received:
        return
    links = pa.Table.from_batches(received)
    for site in dict.fromkeys(links.column("site").to_pylist()):
        of_site = links.filter(pc.equal(links.column("site"), site))
        ends = np.array([of_site.column(name).to_pylist() for name in ("query_id", "candidate_id")], dtype=object)
        # The distinct ids, and the index among them of both ends of every link, shape (2, links).
        ids, indices = np.unique(ends, return_inverse=True)
        first, second = indices.reshape(2, -1)
        graph = coo_array((np.ones(len(first)), (first, second)), shape=(len(ids), len(ids)))
        _, component = connected_components(graph, directed=False)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([site] * len(ids), pa.string()),
                pa.array(ids.tolist(), pa.string()),
                pa.array(component.astype(np.int64)),
            ],
            names=["site", "post_id", "component"],
        )


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
    questions = _with_time_rank(posts.where(F.col("post_type") == "question")).select(
        "site",
        F.col("post_id").alias("query_id"),
        "time_rank",
        F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"),
    )
    time_rank = F.col("time_rank")
    split = F.when(time_rank < TRAINING, "train").when(time_rank < MEASURED, "dev").otherwise("test")
    of_cluster = pairs.groupBy("site", "query_id").agg(F.first("cluster").alias("cluster"))
    how = "inner" if annotated_only else "left"
    queries = questions.join(of_cluster, ["site", "query_id"], how).withColumn("split", split).drop("time_rank")
    if published is None:
        return queries
    published_splits = published.withColumnRenamed("split", "published_split")
    sites = F.broadcast(published.select("site", F.lit(True).alias("is_published")).distinct())
    of_new_query = F.when(F.col("is_published"), UNANNOTATED).otherwise(F.col("split"))
    joined = queries.join(published_splits, ["site", "query_id"], "left").join(sites, "site", "left")
    split = F.coalesce("published_split", of_new_query)
    return joined.withColumn("split", split).drop("published_split", "is_published")


def _with_time_rank(questions: DataFrame) -> DataFrame:
    """Add ``time_rank``, the percent rank by time in the site; no task sorts more than the questions of a day."""
    dated = questions.withColumn("day", F.coalesce(F.to_date("created_at"), F.to_date(F.lit("0001-01-01"))))
    days, of_site = dated.groupBy("site", "day").agg(F.count("*").alias("on_day")), Window.partitionBy("site")
    counts = days.select(
        "site", "day",
        (F.sum("on_day").over(of_site.orderBy("day")) - F.col("on_day")).alias("before_day"),
        F.sum("on_day").over(of_site).alias("of_site"),
    )  # fmt: skip
    of_day = Window.partitionBy("site", "day").orderBy(
        F.col("created_at").asc_nulls_first(), F.expr(_NUMBER), "post_id"
    )
    earlier = F.col("before_day") + F.row_number().over(of_day) - 1
    rank = earlier / F.greatest(F.col("of_site") - 1, F.lit(1))
    return dated.join(counts, ["site", "day"]).withColumn("time_rank", rank)


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
    is_duplicate = pairs.select("site", "query_id", "candidate_id", F.lit(DUPLICATE_LABEL).alias("duplicate_label"))
    judged = candidates.join(is_duplicate, ["site", "query_id", "candidate_id"], "left")
    measurable = F.broadcast(pairs.select("site", F.lit(True).alias("is_measurable")).distinct())
    rows = judged.join(measurable, "site", "left").join(queries, ["site", "query_id"])
    label = F.when(F.col("is_measurable"), F.coalesce("duplicate_label", F.lit(OTHER_LABEL)))
    return _examples(task, rows, posts, label)


def unretrieved_of(
    task: Task, queries: DataFrame, retrieved: DataFrame, pairs: DataFrame, posts: DataFrame
) -> DataFrame:
    """The duplicates that retrieval missed; same arguments as ``examples_of``.

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
