"""Determines which features a change in the community tables affects, so that only these are recomputed.

A change affects its thread, and the authors whose record contains it. It affects as-of features only if it was known
at their cut. All other features stay valid, because every group declares its ``Reach``. A test with random edits checks
that these rules and the declarations agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.votes import ACCEPTED, end_of_day
from cqa_spark.features.group import FeatureGroup, Reach
from cqa_spark.features.history.cut import Cut
from cqa_spark.features.history.pairs import pairs_of
from cqa_spark.lake.changes import CHANGED
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import AFFECTED
from cqa_spark.spark.persistence import persisted

_POST = ("site", "post_id", "thread_id", "user_id", "post_type", "created_at")

_ALWAYS = "timestamp '0001-01-01'"
"""The time of changes without a timestamp."""


def widest(groups: Iterable[FeatureGroup | type[FeatureGroup]]) -> Reach:
    """The widest reach of feature groups; that of a thread if there are none."""
    return max((group.reach for group in groups), key=lambda each: each.value, default=Reach.THREAD)


def within(reach: Reach, affected_examples: DataFrame) -> DataFrame:
    """The rows of ``AFFECTED`` whose values may have changed in groups of a reach below ``SITE``."""
    return affected_examples.where(F.col("reach") <= reach.value)


def threads_to_judge(changed: Mapping[str, DataFrame], posts: DataFrame) -> DataFrame:
    """The threads whose answers may be other examples, or examples with another label or split.

    Args:
        changed: the rows of ``changed_rows.changes`` with ``tracked_changed``, by table name.
        posts: the rows of ``POSTS`` after the changes.

    Returns:
        site, thread_id; distinct.
    """
    accepting = changed[VOTES.name].where(F.col("vote_type_id") == ACCEPTED).select("site", "post_id")
    at = accepting.unionByName(changed[COMMENTS.name].select("site", "post_id"))
    threads = changed[POSTS.name].select("site", "thread_id").unionByName(_on_posts(at, posts))
    return threads.distinct()


@contextmanager
def affected_examples(changed: Mapping[str, DataFrame], now: Mapping[str, DataFrame], cut: Cut) -> Iterator[DataFrame]:
    """The examples whose values may have changed in groups of any reach below ``SITE``.

    Args:
        changed: the rows of ``changed_rows.changes`` with ``tracked_changed``, by table name; read several times, so
            pass stored or persisted rows.
        now: the rows after the changes, by table name.
        cut: the time up to which groups of reach ``HISTORY`` read events.

    Yields:
        Rows of ``AFFECTED``, to be read before the block ends.
    """
    examples = now[EXAMPLES.name]
    posts = now[POSTS.name].select(*_POST).unionByName(changed[POSTS.name].select(*_POST))
    with (
        persisted(_differing(changed[POSTS.name])) as (differing,),
        persisted(_authors(changed, now, posts, differing)) as (authors,),
    ):
        places = {
            Reach.THREAD: (_threads(changed, posts), ["site", "thread_id"]),
            Reach.HISTORY: (_pairs(changed, examples, authors, cut), ["site", "query_id", "candidate_id"]),
            Reach.AUTHOR: (authors, ["site", "author_id"]),
        }
        found = [
            examples.join(rows, on=place, how="left_semi").select(*EXAMPLES.key, F.lit(reach.value).alias("reach"))
            for reach, (rows, place) in places.items()
        ]
        by_example = reduce(DataFrame.unionByName, found).groupBy(*EXAMPLES.key)
        yield AFFECTED.conform(by_example.agg(F.min("reach").alias("reach")))


def _differing(changed_posts: DataFrame) -> DataFrame:
    """The changed posts: site, post_id, is_moved and is_question.

    ``is_moved``: added, deleted, or with another owner, thread or type. Its comments count in its thread, and its votes
    for its owner. ``is_question``: a question that was added, deleted, or has other tags or another accepted answer,
    which the records of its answerers contain.
    """
    by_post = changed_posts.groupBy("site", "post_id").agg(
        F.max(F.col("change") != CHANGED).alias("is_unmatched"),
        F.max(F.col("post_type") == "question").alias("was_question"),
        F.size(F.collect_set(F.struct("post_type", "thread_id", "user_id"))).alias("places"),
        F.size(F.collect_set(F.struct("post_type", "tags", "accepted_answer_id"))).alias("questions"),
    )
    return by_post.select(
        "site",
        "post_id",
        F.expr("is_unmatched or places > 1").alias("is_moved"),
        F.expr("was_question and (is_unmatched or questions > 1)").alias("is_question"),
    )


def _threads(changed: Mapping[str, DataFrame], posts: DataFrame) -> DataFrame:
    """The threads with a change: site and thread_id, with duplicates."""
    threads = [changed[POSTS.name], _on_posts(changed[COMMENTS.name], posts), changed[EXAMPLES.name]]
    return reduce(DataFrame.unionByName, (each.select("site", "thread_id") for each in threads))


def _on_posts(rows: DataFrame, posts: DataFrame) -> DataFrame:
    """The threads of the posts that comments or votes belong to."""
    at = rows.select("site", "post_id")
    return at.join(posts.select("site", "post_id", "thread_id"), on=["site", "post_id"]).select("site", "thread_id")


def _authors(
    changed: Mapping[str, DataFrame], now: Mapping[str, DataFrame], posts: DataFrame, differing: DataFrame
) -> DataFrame:
    """The authors whose record changed: site, author_id, since (the earliest time at which the record differs).

    Args:
        changed: the changed rows.
        now: the rows after the changes.
        posts: the current posts, and the former versions of changed ones.
        differing: as ``_differing`` returns it.
    """
    post = ["site", "post_id"]
    moved = differing.where("is_moved").select(*post)
    threads = differing.where("is_question").select("site", F.col("post_id").alias("thread_id"))
    answers = posts.where(F.col("post_type") == "answer").join(threads, on=["site", "thread_id"], how="left_semi")
    comments = now[COMMENTS.name].join(moved, on=post, how="left_semi")
    of_posts = moved.unionByName(answers.select(*post))
    votes = _counted(now[VOTES.name].join(of_posts, on=post, how="left_semi").select(*post, "created_at"))
    got = votes.unionByName(_counted(changed[VOTES.name])).join(posts.select(*post, "user_id"), on=post)
    records = [
        *[_records(changed[table.name], "created_at") for table in (POSTS, COMMENTS, USERS)],
        _records(changed[BADGES.name], "earned_at"),
        _records(comments, "created_at"),
        _records(answers, "created_at"),
        _records(got, "counted_at"),
    ]
    known = reduce(DataFrame.unionByName, records).where(F.col("author_id").isNotNull())
    since = F.min(F.coalesce("since", F.expr(_ALWAYS))).alias("since")
    return known.groupBy("site", "author_id").agg(since)


def _pairs(changed: Mapping[str, DataFrame], examples: DataFrame, authors: DataFrame, cut: Cut) -> DataFrame:
    """The pairs whose votes, or whose author's record, changed up to their cut, with duplicates."""
    pairs = pairs_of(examples, cut).select("site", "query_id", "candidate_id", "author_id", "cut")
    voted = _counted(changed[VOTES.name]).withColumnsRenamed({"post_id": "candidate_id", "counted_at": "since"})
    by_author, by_vote = pairs.join(authors, on=["site", "author_id"]), pairs.join(voted, on=["site", "candidate_id"])
    return by_author.unionByName(by_vote).where("since <= cut").select("site", "query_id", "candidate_id")


def _counted(votes: DataFrame) -> DataFrame:
    """The time from which votes count."""
    return votes.select("site", "post_id", end_of_day("created_at").alias("counted_at"))


def _records(rows: DataFrame, known_at: str) -> DataFrame:
    return rows.select("site", F.col("user_id").alias("author_id"), F.col(known_at).alias("since"))
