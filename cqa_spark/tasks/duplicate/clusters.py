"""Clusters of questions that duplicate each other: links closed transitively."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.activity import DUPLICATE_LINK

_CLUSTERS = "site string, post_id string, component bigint"


def clusters(posts: DataFrame, post_links: DataFrame) -> DataFrame:
    """The questions with duplicate links, and the cluster of each.

    Links to questions missing from the dump are ignored. One task processes all links of a site, because they are few
    compared to its posts.

    Args:
        posts: the table ``posts``.
        post_links: the table ``post_links``; links of other kinds are ignored.

    Returns:
        site, post_id, cluster (id of its oldest question), order (from 1, by time, then number).
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", "post_id", F.col("created_at").alias("at"), F.col("post_id").cast("bigint").alias("number")
    )
    ends = [questions.select("site", F.col("post_id").alias(name)) for name in ("query_id", "candidate_id")]
    links = post_links.where(F.col("link_type_id") == DUPLICATE_LINK).select(
        "site", F.col("post_id").alias("query_id"), F.col("related_post_id").alias("candidate_id")
    )
    known = links.join(ends[0], ["site", "query_id"]).join(ends[1], ["site", "candidate_id"])
    by_site = known.select("site", "query_id", "candidate_id").repartition("site").sortWithinPartitions("site")
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
    queries = clustered.select("site", "cluster", F.col("post_id").alias("query_id"), F.col("order").alias("asked"))
    earlier = clustered.select("site", "cluster", F.col("post_id").alias("candidate_id"), "order")
    pairs = queries.join(earlier, ["site", "cluster"]).where(F.col("order") < F.col("asked"))
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

    held = list(batches)
    if not held:
        return
    links = pa.Table.from_batches(held)
    for site in dict.fromkeys(links.column("site").to_pylist()):
        of_site = links.filter(pc.equal(links.column("site"), site))
        ends = np.array([of_site.column(name).to_pylist() for name in ("query_id", "candidate_id")], dtype=object)
        ids, places = np.unique(ends, return_inverse=True)
        first, second = places.reshape(2, -1)
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
