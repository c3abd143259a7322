"""Generates a counterfactual continuation of a community, for the audit of as-of features."""

from dataclasses import replace
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP, end_of_day
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.table import Table

_AT_DUMP = {
    "posts": ("score", "view_count", "answer_count", "comment_count", "favorite_count"),
    "users": ("reputation", "views", "up_votes", "down_votes"),
}
"""Columns with values as of the time of the dump."""

_INVENTED = "later"


def go_on_otherwise(inputs: FeatureInputs, moment: datetime) -> FeatureInputs:
    """Change everything that was not known at a moment.

    All later events are removed. Instead, every author of an example asks a question, answers the thread's question and
    another one, comments, gets comments from the asker, earns every badge, and gets votes and acceptances, an hour or a
    day later. Values as of the time of the dump are changed in all rows, including accepted answers.

    Args:
        inputs: the tables; all examples existed at the moment.
        moment: the moment, with a time zone.
    """
    now = F.lit(moment)
    soon = now + F.expr("INTERVAL 1 HOUR")
    pairs = inputs.examples.select("site", "query_id", "candidate_id", "author_id").distinct()
    return replace(
        inputs,
        posts=_posts(inputs.posts, pairs, now, soon),
        comments=_comments(inputs, pairs, now, soon),
        users=inputs.users and _with_other_figures(inputs.users, "users"),
        votes=inputs.votes and _votes(inputs.votes, pairs, now),
        badges=inputs.badges and _badges(inputs.badges, pairs, now, soon),
    )


def _posts(posts: DataFrame, pairs: DataFrame, now: Column, soon: Column) -> DataFrame:
    before = _with_other_figures(posts.where(_not_after("created_at", now)), "posts")
    # The accepted answer is now one that does not exist.
    otherwise = before.withColumns({"accepted_answer_id": F.lit(_INVENTED), "active_at": soon, "edited_at": soon})
    written = {"answer": F.col("query_id"), "question": F.col("post_id")}
    invented = [
        _rows(POSTS, pairs.where(F.col("author_id").isNotNull()).withColumn("post_id", _id(kind, "candidate_id")), {
            "post_id": F.col("post_id"), "post_type": F.lit(kind), "thread_id": thread, "user_id": F.col("author_id"),
            "created_at": soon, "active_at": soon, "split": F.lit("unannotated"), "source_file": F.lit(_INVENTED),
        })
        for kind, thread in written.items()
    ]  # fmt: skip
    return otherwise.unionByName(invented[0]).unionByName(invented[1])


def _comments(inputs: FeatureInputs, pairs: DataFrame, now: Column, soon: Column) -> DataFrame:
    before = inputs.comments.where(_not_after("created_at", now))
    askers = inputs.posts.select("site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"))
    speaking = pairs.join(askers, on=["query_id", "site"]).select(
        "*", F.explode(F.array("query_id", "candidate_id")).alias("post_id")
    )
    said = speaking.select("*", F.explode(F.array("asker_id", "author_id")).alias("user_id"))
    invented = _rows(COMMENTS, said, {
        "comment_id": _id("comment", "candidate_id", "post_id", "user_id"), "post_id": F.col("post_id"),
        "user_id": F.col("user_id"), "created_at": soon, "body": F.lit("Horrible. Bad. Awful."),
        "split": F.lit("unannotated"), "source_file": F.lit(_INVENTED),
    })  # fmt: skip
    return before.unionByName(invented)


def _votes(votes: DataFrame, pairs: DataFrame, now: Column) -> DataFrame:
    """Votes of the moment's own day are known only at the end of the day."""
    before = votes.where(F.coalesce(end_of_day("created_at") <= now, F.lit(True)))
    kinds = F.explode(F.array(*map(F.lit, (ACCEPTED, UP, UP, DOWN)))).alias("vote_type_id")
    voted = pairs.select("site", F.explode(F.array("query_id", "candidate_id")).alias("post_id")).distinct()
    # This also holds if the moment is the midnight at which the day starts.
    invented = _rows(VOTES, voted.select("*", kinds), {
        "vote_id": F.concat_ws("-", F.lit(_INVENTED), "post_id", "vote_type_id"), "post_id": F.col("post_id"),
        "vote_type_id": F.col("vote_type_id"), "created_at": F.date_trunc("day", now),
        "source_file": F.lit(_INVENTED),
    })  # fmt: skip
    return before.unionByName(invented)


def _badges(badges: DataFrame, pairs: DataFrame, now: Column, soon: Column) -> DataFrame:
    before = badges.where(_not_after("earned_at", now))
    names = badges.select("name").distinct()
    authors = pairs.where(F.col("author_id").isNotNull()).select("site", "author_id").distinct()
    invented = _rows(BADGES, authors.crossJoin(F.broadcast(names)), {
        "badge_id": _id("badge", "author_id", "name"), "user_id": F.col("author_id"), "name": F.col("name"),
        "earned_at": soon, "source_file": F.lit(_INVENTED),
    })  # fmt: skip
    return before.unionByName(invented)


def _with_other_figures(frame: DataFrame, table: str) -> DataFrame:
    return frame.withColumns({name: F.coalesce(F.col(name), F.lit(0)) + 1000 for name in _AT_DUMP[table]})


def _not_after(name: str, moment: Column) -> Column:
    """Keep events without a time, because values must not depend on them either."""
    return F.coalesce(F.col(name) <= moment, F.lit(True))


def _id(kind: str, *names: str) -> Column:
    return F.concat_ws("-", F.lit(_INVENTED), F.lit(kind), *names)


def _rows(table: Table, frame: DataFrame, values: dict[str, Column]) -> DataFrame:
    return table.complete(frame.select("site", *[value.alias(name) for name, value in values.items()]))
