"""Determines which features a change in the community tables affects, so that only these are recomputed.

A change affects its thread, and the authors whose record contains it. It affects as-of features only if it was known
at their cut. All other features stay valid, because every group declares its ``Reach``. A test with random edits checks
that these rules and the declarations agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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

_ALWAYS = "timestamp '0001-01-01'"
"""The time of changes without a timestamp."""

Versions = Mapping[str, tuple[DataFrame, DataFrame]]
"""The rows before and after, by table name."""


@dataclass(frozen=True)
class Affected:
    """Threads, authors and pairs affected by changes.

    Attributes:
        threads: threads with a change: site, thread_id; distinct.
        authors: authors whose record changed: site, author_id, since (the earliest time at which the record differs);
            one row per author; read twice.
        pairs: pairs whose votes, or whose author's record, changed up to their cut: site, query_id, candidate_id;
            distinct.
    """

    threads: DataFrame
    authors: DataFrame
    pairs: DataFrame

    def examples(self, examples: DataFrame) -> DataFrame:
        """The examples whose values may have changed in groups of any reach below ``SITE``: rows of ``AFFECTED``."""
        places = {
            Reach.THREAD: (self.threads, ["site", "thread_id"]),
            Reach.HISTORY: (self.pairs, ["site", "query_id", "candidate_id"]),
            Reach.AUTHOR: (self.authors, ["site", "author_id"]),
        }
        found = [
            examples.join(rows, on=place, how="left_semi").select(*EXAMPLES.key, F.lit(reach.value).alias("reach"))
            for reach, (rows, place) in places.items()
        ]
        return AFFECTED.conform(
            reduce(DataFrame.unionByName, found).groupBy(*EXAMPLES.key).agg(F.min("reach").alias("reach"))
        )


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


def affected(changed: Mapping[str, DataFrame], now: Mapping[str, DataFrame], cut: Cut) -> Affected:
    """The threads, authors and pairs that changes affect.

    Args:
        changed: the rows of ``changes`` with ``tracked_changed``; read several times, so pass persisted DataFrames.
        now: the rows after the changes, by table name.
        cut: the time up to which groups of reach ``HISTORY`` read events.
    """
    posts, comments, votes = (_both(table, changed[table.name], now[table.name]) for table in (POSTS, COMMENTS, VOTES))
    places = posts.select("site", "post_id", "thread_id")
    below = changed[COMMENTS.name].select("site", "post_id").join(places, on=["site", "post_id"])
    threads = [each.select("site", "thread_id") for each in (changed[POSTS.name], below, changed[EXAMPLES.name])]
    records = [
        _records(changed[POSTS.name], "created_at"),
        _records(changed[COMMENTS.name], "created_at"),
        _records(changed[USERS.name], "created_at"),
        _records(changed[BADGES.name], "earned_at"),
        _got(changed[VOTES.name], posts),
        *_of_moved_posts(changed[POSTS.name], posts, comments, votes),
        *_of_changed_questions(changed[POSTS.name], posts, votes),
    ]
    known = reduce(DataFrame.unionByName, records).where(F.col("author_id").isNotNull())
    since = F.min(F.coalesce("since", F.expr(_ALWAYS))).alias("since")
    authors = known.groupBy("site", "author_id").agg(since)
    cut_pairs = pairs_of(now[EXAMPLES.name], cut).select("site", "query_id", "candidate_id", "author_id", "cut")
    voted = _counted(changed[VOTES.name]).withColumnsRenamed({"post_id": "candidate_id", "counted_at": "since"})
    pairs = cut_pairs.join(authors, on=["site", "author_id"]).unionByName(
        cut_pairs.join(voted, on=["site", "candidate_id"])
    )
    return Affected(
        threads=reduce(DataFrame.unionByName, threads).distinct(),
        authors=authors,
        pairs=pairs.where("since <= cut").select("site", "query_id", "candidate_id").distinct(),
    )


def _of_moved_posts(
    changed_posts: DataFrame, posts: DataFrame, comments: DataFrame, votes: DataFrame
) -> Iterator[DataFrame]:
    """Comments and votes of posts that were added, deleted, moved or given another owner.

    A comment counts in the thread of its post, and a vote for the owner of its post. Both change with the post.
    """
    moved = _differing(changed_posts, "post_type", "thread_id", "user_id").select("site", "post_id")
    yield _records(comments.join(moved, on=["site", "post_id"]), "created_at")
    yield _got(votes.join(moved, on=["site", "post_id"]), posts)


def _of_changed_questions(changed_posts: DataFrame, posts: DataFrame, votes: DataFrame) -> Iterator[DataFrame]:
    """Records of answerers: they contain the tags and the accepted answer of the question."""
    questions = _differing(changed_posts, "post_type", "tags", "accepted_answer_id").where("is_question")
    threads = questions.select("site", F.col("post_id").alias("thread_id"))
    answers = posts.where(F.col("post_type") == "answer").join(threads, on=["site", "thread_id"])
    yield _records(answers, "created_at")
    yield _got(votes, answers)


def _differing(changed_posts: DataFrame, *columns: str) -> DataFrame:
    """Posts that were added, deleted, or changed in one of the columns: site, post_id, is_question (in any version)."""
    by_post = changed_posts.groupBy("site", "post_id", "change").agg(
        F.max(F.col("post_type") == "question").alias("is_question"),
        F.size(F.collect_set(F.struct(*columns))).alias("contents"),
    )
    differing = by_post.where((F.col("change") != CHANGED) | (F.col("contents") > 1))
    return differing.select("site", "post_id", "is_question")


def _got(votes: DataFrame, posts: DataFrame) -> DataFrame:
    """Votes as part of the records of the present and former owners of the posts."""
    owners = posts.select("site", "post_id", "user_id")
    return _records(_counted(votes).join(owners, on=["site", "post_id"]), "counted_at")


def _counted(votes: DataFrame) -> DataFrame:
    """The time from which votes count."""
    return votes.select("site", "post_id", end_of_day("created_at").alias("counted_at"))


def _records(rows: DataFrame, known_at: str) -> DataFrame:
    return rows.select("site", F.col("user_id").alias("author_id"), F.col(known_at).alias("since"))


def _both(table: Table, changed: DataFrame, now: DataFrame) -> DataFrame:
    """The current rows, and the former versions of changed rows; may contain duplicates."""
    columns = (*table.key, *_KEPT[table])
    return now.select(*columns).unionByName(changed.select(*columns))
