"""What changes of a community touch: the threads and authors whose features have to be computed again.

A change touches the thread that it happens in and the people whose record it is part of. Other features stay as they
are, because every group declares how far it looks (``Reach``); the test over random edits holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import FeatureGroup, Reach
from cqa_spark.lake.changes import CHANGED, changed_rows
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.table import Table

READ: Mapping[Table, tuple[str, ...]] = MappingProxyType(
    {
        POSTS: ("thread_id", "user_id", "post_type", "created_at", "tags", "accepted_answer_id", "subject", "body"),
        COMMENTS: ("post_id", "user_id", "created_at", "body"),
        USERS: ("created_at",),
        VOTES: ("post_id", "vote_type_id", "created_at"),
        BADGES: ("user_id", "name", "earned_at"),
        EXAMPLES: ("thread_id", "author_id", "initial_rank", "split"),
    }
)
"""The tables that features follow from, with the columns that groups of reach ``THREAD`` and ``AUTHOR`` read."""

READ_AS_OF_DUMP: Mapping[Table, tuple[str, ...]] = MappingProxyType(
    {POSTS: ("view_count", "active_at"), USERS: ("reputation",)}
)
"""What groups that are not as of a cut read beside: page views alone change nearly every question every night."""

_KEPT = {
    POSTS: ("thread_id", "user_id", "post_type", "tags", "accepted_answer_id"),
    COMMENTS: ("post_id", "user_id"),
    VOTES: ("post_id",),
    BADGES: ("user_id",),
    EXAMPLES: ("thread_id",),
}

Versions = Mapping[str, tuple[DataFrame, DataFrame]]
"""By table name, its rows before and after."""


@dataclass(frozen=True)
class Touched:
    """Threads and authors that changes touch.

    Attributes:
        threads: site, thread_id; distinct.
        authors: site, author_id; distinct.
    """

    threads: DataFrame
    authors: DataFrame

    def examples(self, examples: DataFrame, reach: Reach) -> DataFrame:
        """Those examples whose values may have changed in groups of this reach."""
        if reach is Reach.SITE:
            return examples
        in_thread = examples.join(self.threads, on=["site", "thread_id"], how="left_semi")
        if reach is Reach.THREAD:
            return in_thread
        elsewhere = examples.join(self.threads, on=["site", "thread_id"], how="left_anti")
        return in_thread.unionByName(elsewhere.join(self.authors, on=["site", "author_id"], how="left_semi"))


def read_columns(table: Table, groups: Iterable[type[FeatureGroup]]) -> tuple[str, ...]:
    """The columns of a table, beside its key, that groups of reach ``THREAD`` and ``AUTHOR`` read."""
    as_of = all(group.is_as_of for group in groups)
    return READ[table] if as_of else READ[table] + READ_AS_OF_DUMP.get(table, ())


def changes(versions: Versions, groups: Sequence[type[FeatureGroup]]) -> dict[str, DataFrame]:
    """The changed rows of each table, as ``changed_rows`` gives them; those tell that the groups compute from.

    Args:
        versions: of the tables ``READ``.
        groups: whose values are wanted.
    """
    return {
        table.name: changed_rows(
            table, *versions[table.name], telling=read_columns(table, groups), kept=_KEPT.get(table, ())
        )
        for table in READ
    }


def touched(changed: Mapping[str, DataFrame], versions: Versions) -> Touched:
    """What changes touch.

    Args:
        changed: as ``changes`` gives them; read several times, so hand in what is held.
        versions: what they are the changes of.
    """
    changed = {name: rows.where("tells") for name, rows in changed.items()}
    posts = _both(versions[POSTS.name], "site", "post_id", "thread_id", "user_id", "post_type")
    comments = _both(versions[COMMENTS.name], "site", "post_id", "user_id")
    below = changed[COMMENTS.name].select("site", "post_id").join(posts, on=["site", "post_id"])
    threads = [each.select("site", "thread_id") for each in (changed[POSTS.name], below, changed[EXAMPLES.name])]
    voted = changed[VOTES.name].select("site", "post_id").join(posts, on=["site", "post_id"])
    authors = [
        _people(changed[POSTS.name]),
        _people(changed[COMMENTS.name]),
        _people(changed[BADGES.name]),
        _people(changed[USERS.name]),
        _people(voted),
        _people(_who_answered(changed[POSTS.name], posts)),
        _people(_who_commented(changed[POSTS.name], comments)),
    ]
    return Touched(
        reduce(DataFrame.unionByName, threads).distinct(),
        reduce(DataFrame.unionByName, authors).where(F.col("author_id").isNotNull()).distinct(),
    )


def _who_answered(changed_posts: DataFrame, posts: DataFrame) -> DataFrame:
    """A question's tags, and its accepted answer, are part of the record of those who answered it."""
    threads = _differing(changed_posts, "post_type", "thread_id", "tags", "accepted_answer_id").select(
        "site", F.explode("thread_ids").alias("thread_id")
    )
    return posts.where(F.col("post_type") == "answer").join(threads.distinct(), on=["site", "thread_id"])


def _who_commented(changed_posts: DataFrame, comments: DataFrame) -> DataFrame:
    """A comment counts where its post is there, in its thread: a post that comes, goes or moves takes it along."""
    return comments.join(_differing(changed_posts, "post_type", "thread_id"), on=["site", "post_id"])


def _differing(changed_posts: DataFrame, *columns: str) -> DataFrame:
    """The posts that came, went, or changed in one of the columns: site, post_id, thread_ids."""
    by_post = changed_posts.groupBy("site", "post_id", "change").agg(
        F.collect_set("thread_id").alias("thread_ids"), F.size(F.collect_set(F.struct(*columns))).alias("contents")
    )
    differing = by_post.where((F.col("change") != CHANGED) | (F.col("contents") > 1))
    return differing.select("site", "post_id", "thread_ids")


def _both(versions: tuple[DataFrame, DataFrame], *columns: str) -> DataFrame:
    before, after = versions
    return before.select(*columns).unionByName(after.select(*columns)).distinct()


def _people(rows: DataFrame) -> DataFrame:
    return rows.select("site", F.col("user_id").alias("author_id"))
