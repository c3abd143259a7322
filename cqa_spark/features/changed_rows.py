"""Determines which rows of the tables that features read have changed, in the columns that features read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import FeatureGroup
from cqa_spark.lake.changes import changed_rows
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import CHANGED_ROWS
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
    VOTES: ("post_id", "vote_type_id", "created_at"),
    BADGES: ("user_id", "earned_at"),
    EXAMPLES: ("thread_id",),
}

COMMUNITY = tuple(table for table in READ if table is not EXAMPLES)
"""The input tables that are read from a dump."""

Versions = Mapping[Table, tuple[DataFrame, DataFrame]]
"""The rows before and after, by table; rows that did not change may be missing from both sides."""


def read_columns(table: Table, groups: Iterable[type[FeatureGroup]]) -> tuple[str, ...]:
    """The columns of a table, other than its key, that groups of a reach below ``SITE`` read."""
    return READ[table] + READ_AS_OF_DUMP.get(table, ()) if reads_counters(groups) else READ[table]


def reads_counters(groups: Iterable[type[FeatureGroup]]) -> bool:
    """Whether one of the groups reads counters, such as page views; as-of groups do not, because they have no past."""
    return not all(group.is_as_of for group in groups)


def changes(versions: Versions, groups: Sequence[type[FeatureGroup]]) -> dict[str, DataFrame]:
    """The changed rows by table name, as ``lake.changes.changed_rows`` returns them.

    Args:
        versions: some or all tables of ``READ``.
        groups: the groups to compute; only columns that they read count for ``tracked_changed``.
    """
    return {
        table.name: changed_rows(table, *both, tracked=read_columns(table, groups), kept=_KEPT[table])
        for table, both in versions.items()
    }


def together(changed: Mapping[str, DataFrame]) -> DataFrame:
    """The rows of ``changes`` with ``tracked_changed``, as rows of ``CHANGED_ROWS``."""
    stored = CHANGED_ROWS.schema.names
    marked = (
        rows.where("tracked_changed").select(
            F.lit(name).alias("table_name"), *[column for column in rows.columns if column in stored]
        )
        for name, rows in changed.items()
    )
    return CHANGED_ROWS.complete(reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), marked))


def by_table(rows: DataFrame) -> dict[str, DataFrame]:
    """Rows of ``CHANGED_ROWS`` by the name of their table; inverse of ``together``."""
    return {
        table.name: rows.where(F.col("table_name") == table.name).select(*_named(table), "change")
        for table in COMMUNITY
    }


def _named(table: Table) -> list[str]:
    return [name for name in (*table.key, *_KEPT[table]) if name in CHANGED_ROWS.schema.names]
