"""What the members of a site did, and what they got for it, as dated events."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs

CONTRIBUTIONS = ("asked", "answered", "commented", "up", "down", "accepted")
"""Questions and answers written, comments written, up and down votes received, answers of theirs that were accepted."""

ACCEPTED, UP, DOWN = 1, 2, 3

_MICROSECONDS_A_DAY = 86_400_000_000


def votes_by_day(votes: DataFrame) -> DataFrame:
    """The votes of each post and day. Votes carry days, not times: they are known from the end of their day on.

    Args:
        votes: the table ``votes``.

    Returns:
        site, post_id, known_at, and the numbers ``up``, ``down`` and ``accepted``.
    """
    counted = votes.where(F.col("vote_type_id").isin(ACCEPTED, UP, DOWN))
    return counted.groupBy("site", "post_id", end_of_day("created_at").alias("known_at")).agg(
        F.count_if(F.col("vote_type_id") == UP).alias("up"),
        F.count_if(F.col("vote_type_id") == DOWN).alias("down"),
        F.count_if(F.col("vote_type_id") == ACCEPTED).alias("accepted"),
    )


def end_of_day(moment: str) -> Column:
    """The midnight that ends the day of a moment, UTC; null where it is not known."""
    # By arithmetic: Spark's own functions of dates build a calendar date for every row.
    since_1970 = F.unix_micros(F.col(moment))
    return F.timestamp_micros(since_1970 - F.pmod(since_1970, F.lit(_MICROSECONDS_A_DAY)) + _MICROSECONDS_A_DAY)


def contributions(inputs: FeatureInputs) -> DataFrame:
    """Everything that counts for or against a member; where examples are few, one of their authors.

    Args:
        inputs: posts, comments and votes are read; what a deleted account did is left out.

    Returns:
        site, user_id, thread_id, known_at, and the numbers ``CONTRIBUTIONS``; several rows a user and thread.
    """
    posts = inputs.posts.where(F.col("post_type").isin("question", "answer"))
    own = inputs.of_authors(posts)
    written = own.select(
        "site", "user_id", "thread_id", F.col("created_at").alias("known_at"),
        *_numbers(asked=_one_if(F.col("post_type") == "question"), answered=_one_if(F.col("post_type") == "answer")),
    )  # fmt: skip
    votes = inputs.needed("votes")
    if inputs.few:
        votes = votes.join(own.select("post_id", "site"), on=["post_id", "site"], how="left_semi")
    votes = votes_by_day(votes)
    voted = votes.select(
        "site", "post_id", F.lit(None).cast("string").alias("commenter"), F.lit(False).alias("is_comment"), "known_at",
        *_numbers(up=F.col("up"), down=F.col("down"), accepted=F.col("accepted")),
    )  # fmt: skip
    commented = inputs.of_authors(inputs.comments).select(
        "site", "post_id", F.col("user_id").alias("commenter"), F.lit(True).alias("is_comment"),
        F.col("created_at").alias("known_at"), *_numbers(commented=F.lit(1).cast("bigint")),
    )  # fmt: skip
    owners = posts.select("site", "post_id", F.col("user_id").alias("owner"), "thread_id")
    below_posts = voted.unionByName(commented).join(owners, on=["post_id", "site"])
    user = F.when(F.col("is_comment"), F.col("commenter")).otherwise(F.col("owner"))
    received = below_posts.select("site", user.alias("user_id"), "thread_id", "known_at", *CONTRIBUTIONS)
    return reduce(DataFrame.unionByName, (written, received)).where(F.col("user_id").isNotNull())


def _numbers(**given: Column) -> list[Column]:
    nothing = F.lit(0).cast("bigint")
    return [given.get(name, nothing).alias(name) for name in CONTRIBUTIONS]


def _one_if(condition: Column) -> Column:
    return F.when(condition, 1).otherwise(0).cast("bigint")
