"""Restricts tables to rows related to the authors of a few examples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.spark.persistence import persisted


@contextmanager
def concerned(inputs: FeatureInputs) -> Iterator[FeatureInputs]:
    """The tables with the profiles, badges, posts, comments and votes of the authors of few examples.

    Posts are those that the authors wrote, the questions to their answers, and the posts that they commented on. They
    are stored as 64-bit hashes and counted first: Spark broadcasts them if they are small enough, so that other rows
    are not shuffled.

    Args:
        inputs: the tables, with few examples.

    Yields:
        The tables of an author pass, to be read before the block ends. Hashes that collide leave further rows in them,
        which do not change the values.
    """
    authors = F.broadcast(inputs.examples.select("site", F.col("author_id").alias("user_id")).distinct())

    def of_authors(rows: DataFrame) -> DataFrame:
        return rows.join(authors, on=["user_id", "site"], how="left_semi")

    own = of_authors(inputs.posts).select(_hashed("post_id"), _hashed("thread_id"))
    comments = of_authors(inputs.comments)
    with persisted(own) as (own,):
        own.count()
        near = own.select("post_id_hash").union(own.select("thread_id_hash")).union(comments.select(_hashed("post_id")))
        with persisted(near.distinct()) as (near,):
            near.count()
            posts, votes = _of_posts(inputs.posts, near), inputs.votes and _of_posts(inputs.votes, own)
            users, badges = (rows and of_authors(rows) for rows in (inputs.users, inputs.badges))
            yield replace(inputs, posts=posts, comments=comments, votes=votes, users=users, badges=badges)


def _of_posts(rows: DataFrame, posts: DataFrame) -> DataFrame:
    return rows.join(posts, _hash("post_id") == F.col("post_id_hash"), "left_semi")


def _hashed(name: str) -> Column:
    return _hash(name).alias(f"{name}_hash")


def _hash(name: str) -> Column:
    return F.xxhash64("site", name)
