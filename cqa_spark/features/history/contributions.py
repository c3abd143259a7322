"""What the members of a site did, and what they got for it, as dated events."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.votes import ACCEPTED, DOWN, UP, end_of_day
from cqa_spark.features.inputs import FeatureInputs

_COMMENTED = "commented"
CONTRIBUTIONS = ("asked", "answered", _COMMENTED, "up", "down", "accepted")
"""Questions and answers written, comments written, up and down votes received, answers of theirs that were accepted."""

COUNTED = {name: f"if(contribution = '{name}', 1, 0)" for name in CONTRIBUTIONS}
"""By the name of each, what a contribution adds to its number: SQL."""


def votes_received(votes: DataFrame) -> DataFrame:
    """The votes that count, known from the end of their day on.

    Args:
        votes: the table ``votes``.

    Returns:
        site, post_id, known_at, contribution (up, down or accepted).
    """
    counted = votes.where(F.col("vote_type_id").isin(ACCEPTED, UP, DOWN))
    kind = F.when(F.col("vote_type_id") == UP, "up").when(F.col("vote_type_id") == DOWN, "down").otherwise("accepted")
    return counted.select("site", "post_id", end_of_day("created_at").alias("known_at"), kind.alias("contribution"))


def contributions(inputs: FeatureInputs) -> DataFrame:
    """Everything that counts for or against a member; where examples are few, one of their authors.

    Args:
        inputs: posts, comments and votes are read; what a deleted account did is left out.

    Returns:
        site, user_id, thread_id, known_at, and which of the ``CONTRIBUTIONS`` it is.
    """
    posts = inputs.posts.where(F.col("post_type").isin("question", "answer"))
    own = inputs.of_authors(posts)
    kind = F.when(F.col("post_type") == "question", "asked").otherwise("answered")
    written = own.select(
        "site", "user_id", "thread_id", F.col("created_at").alias("known_at"), kind.alias("contribution")
    )
    votes = votes_received(inputs.needed("votes"))
    if inputs.few:
        votes = votes.join(own.select("post_id", "site"), on=["post_id", "site"], how="left_semi")
    voted = votes.withColumn("commenter", F.lit(None).cast("string"))
    commented = inputs.of_authors(inputs.comments).select(
        "site", "post_id", F.col("created_at").alias("known_at"), F.lit(_COMMENTED).alias("contribution"),
        F.col("user_id").alias("commenter"),
    )  # fmt: skip
    owners = posts.select("site", "post_id", F.col("user_id").alias("owner"), "thread_id")
    below_posts = voted.unionByName(commented).join(owners, on=["post_id", "site"])
    user = F.when(F.col("contribution") == _COMMENTED, F.col("commenter")).otherwise(F.col("owner"))
    received = below_posts.select("site", user.alias("user_id"), "thread_id", "known_at", "contribution")
    return written.unionByName(received).where(F.col("user_id").isNotNull())
