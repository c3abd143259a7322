"""Determines which features a change in the community tables affects, so that only these are recomputed.

A change affects its thread, and the authors whose record contains it. It affects as-of features only if it was known
at their cut. All other features stay valid, because every group declares its ``Reach``. A test with random edits checks
that these rules and the declarations agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from types import MappingProxyType

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.votes import end_of_day
from cqa_spark.features.group import FeatureGroup, Reach
from cqa_spark.features.history.cut import Cut
from cqa_spark.features.history.pairs import pairs_of
from cqa_spark.lake.changes import CHANGED, changed_rows
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import AFFECTED
from cqa_spark.lake.table import Table
from cqa_spark.spark.persistence import persisted

READ: Mapping[Table, tuple[str, ...]] = MappingProxyType(
    {
        POSTS: (
            "thread_id",
            "user_id",
            "post_type",
            "created_at",
            "tags",
            "accepted_answer_id",
            "subject",
            "body",
            "user_name",
            "category",
        ),
        COMMENTS: ("post_id", "thread_id", "position", "user_id", "user_name", "created_at", "body"),
        USERS: ("created_at",),
        VOTES: ("post_id", "vote_type_id", "created_at"),
        BADGES: ("user_id", "name", "earned_at"),
        EXAMPLES: ("thread_id", "author_id", "asker_id", "asked_at", "answered_at", "initial_rank", "split"),
    }
)
"""The input tables, with the columns that groups of a reach below ``SITE`` read."""

READ_AS_OF_DUMP: Mapping[Table, tuple[str, ...]] = MappingProxyType(
    {POSTS: ("view_count", "active_at"), USERS: ("reputation",)}
)
"""Further columns that only groups without a cut read; page views change for nearly every question every night."""

_KEPT = {
    POSTS: ("thread_id", "user_id", "post_type", "created_at", "tags", "accepted_answer_id"),
    COMMENTS: ("post_id", "user_id", "created_at"),
    USERS: ("created_at",),
    VOTES: ("post_id", "created_at"),
    BADGES: ("user_id", "earned_at"),
    EXAMPLES: ("thread_id",),
}

_POST = ("site", "post_id", "thread_id", "user_id", "post_type", "created_at")

_ALWAYS = "timestamp '0001-01-01'"
"""The time of changes without a timestamp."""

Versions = Mapping[str, tuple[DataFrame, DataFrame]]
"""The rows before and after, by table name."""


def widest(groups: Iterable[FeatureGroup | type[FeatureGroup]]) -> Reach:
    """The widest reach of feature groups; that of a thread if there are none."""
    return max((group.reach for group in groups), key=lambda each: each.value, default=Reach.THREAD)


def within(reach: Reach, affected_examples: DataFrame) -> DataFrame:
    """The rows of ``AFFECTED`` whose values may have changed in groups of a reach below ``SITE``."""
    return affected_examples.where(F.col("reach") <= reach.value)


def read_columns(table: Table, groups: Iterable[type[FeatureGroup]]) -> tuple[str, ...]:
    """The columns of a table, other than its key, that groups of a reach below ``SITE`` read."""
    as_of = all(group.is_as_of for group in groups)
    return READ[table] if as_of else READ[table] + READ_AS_OF_DUMP.get(table, ())


def changes(versions: Versions, groups: Sequence[type[FeatureGroup]]) -> dict[str, DataFrame]:
    """The changed rows of each table, as ``changed_rows`` returns them; only the groups' input columns are compared.

    Args:
        versions: the tables of ``READ``; rows that did not change may be missing from both sides.
        groups: the groups to compute.
    """
    return {
        table.name: changed_rows(table, *versions[table.name], tracked=read_columns(table, groups), kept=_KEPT[table])
        for table in READ
    }


@contextmanager
def affected_examples(changed: Mapping[str, DataFrame], now: Mapping[str, DataFrame], cut: Cut) -> Iterator[DataFrame]:
    """The examples whose values may have changed in groups of any reach below ``SITE``.

    Args:
        changed: the rows of ``changes`` with ``tracked_changed``; read several times, so pass persisted DataFrames.
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
    commented = changed[COMMENTS.name].select("site", "post_id")
    threads = [
        changed[POSTS.name],
        commented.join(posts.select("site", "post_id", "thread_id"), on=["site", "post_id"]),
        changed[EXAMPLES.name],
    ]
    return reduce(DataFrame.unionByName, (each.select("site", "thread_id") for each in threads))


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
