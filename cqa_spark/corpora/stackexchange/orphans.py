"""Rows that point to rows which the dump lacks: kept, and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.accounting import ORPHANS
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.table import Table


@dataclass(frozen=True)
class Reference:
    """A column that points to rows of another table.

    Attributes:
        table: holds the column.
        column: the column.
        target: what it points to, by the last column of its key.
    """

    table: Table
    column: str
    target: Table


REFERENCES = (
    Reference(POSTS, "thread_id", POSTS),
    Reference(POSTS, "accepted_answer_id", POSTS),
    Reference(POSTS, "user_id", USERS),
    Reference(COMMENTS, "post_id", POSTS),
    Reference(COMMENTS, "user_id", USERS),
    Reference(VOTES, "post_id", POSTS),
    Reference(BADGES, "user_id", USERS),
    Reference(POST_LINKS, "post_id", POSTS),
    Reference(POST_LINKS, "related_post_id", POSTS),
    Reference(POST_HISTORY, "post_id", POSTS),
)


def orphans(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Count the rows that point to nothing.

    Args:
        tables: the tables that were read, by name; a reference to or from another one is not looked at.

    Returns:
        The table ``orphans``: a row for each site and reference that has some.
    """
    counted = [_count(reference, tables) for reference in REFERENCES if _both(reference) <= tables.keys()]
    empty = ORPHANS.empty(next(iter(tables.values())).sparkSession)
    return ORPHANS.conform(reduce(DataFrame.unionByName, counted, empty))


def _both(reference: Reference) -> set[str]:
    return {reference.table.name, reference.target.name}


def _count(reference: Reference, tables: Mapping[str, DataFrame]) -> DataFrame:
    # Many rows point to the same one, so they are added up before they meet it.
    pointing = tables[reference.table.name].select("site", F.col(reference.column).alias("id"))
    by_id = pointing.where(F.col("id").isNotNull()).groupBy("site", "id").agg(F.count("*").alias("rows"))
    there = tables[reference.target.name].select("site", F.col(reference.target.key[-1]).alias("id"))
    missing = by_id.join(there, ["site", "id"], "left_anti").groupBy("site").agg(F.sum("rows").alias("rows"))
    return missing.select("site", *_named(reference), "rows")


def _named(reference: Reference) -> list[Column]:
    names = {"table_name": reference.table.name, "reference": reference.column, "missing_in": reference.target.name}
    return [F.lit(value).alias(name) for name, value in names.items()]
