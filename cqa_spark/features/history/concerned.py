"""Restricts tables to rows related to the authors of a few examples."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs


def concerned(inputs: FeatureInputs) -> FeatureInputs:
    """The tables with the profiles, badges, posts and votes of the examples' authors; all rows if examples are many.

    Posts are those that the authors wrote, the questions to their answers, and the posts that they commented on.
    """
    if not inputs.few:
        return inputs
    own = inputs.of_authors(inputs.posts)
    comments = inputs.of_authors(inputs.comments)
    near = [
        own.select("site", "post_id"),
        own.select("site", F.col("thread_id").alias("post_id")),
        comments.select("site", "post_id"),
    ]
    posts = inputs.posts.join(reduce(DataFrame.unionByName, near).distinct(), on=["post_id", "site"], how="left_semi")
    votes = inputs.votes and inputs.votes.join(near[0], on=["post_id", "site"], how="left_semi")
    users, badges = (rows and inputs.of_authors(rows) for rows in (inputs.users, inputs.badges))
    return replace(inputs, posts=posts, comments=comments, votes=votes, users=users, badges=badges)
