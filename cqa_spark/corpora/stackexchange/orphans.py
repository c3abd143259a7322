"""Counts rows that refer to rows missing from the dump; such rows are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import ORPHANS
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.table import Table


@dataclass(frozen=True)
class Reference:
    """A column that points to rows of another table.

    Attributes:
        table: the table with the column.
        column: the column.
        target: the referenced table, by the last column of its key.
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


def orphans(tables: Mapping[str, DataFrame]) -> list[Entry]:
    """Count the rows with dangling references.

    Args:
        tables: the tables that were read, by name; references to or from other tables are skipped.

    Returns:
        Entries of ``ORPHANS``: one for each site and reference with orphans.
    """
    found = {f"reference_{number}": each for number, each in enumerate(REFERENCES) if _both(each) <= tables.keys()}
    if not found:
        return []
    # References and targets are grouped by target id in one shuffle; rows are pre-aggregated and shuffled once.
    by_id = _ids(tables, found).groupBy("site", "target", "id")
    counts = [F.count_if(F.col("by") == name).alias(name) for name in found]
    missing = by_id.agg(F.count_if(F.col("by").isNull()).alias("there"), *counts).where("there = 0")
    by_site = missing.groupBy("site").agg(*[F.sum(name).alias(name) for name in found])
    named = [F.struct(*_named(each), F.col(name).alias("rows")) for name, each in found.items()]
    counted = by_site.select("site", F.inline(F.array(*named))).where("rows > 0")
    return sorted((row.asDict() for row in counted.collect()), key=lambda row: [row[name] for name in ORPHANS.key])


def _both(reference: Reference) -> set[str]:
    return {reference.table.name, reference.target.name}


def _ids(tables: Mapping[str, DataFrame], references: Mapping[str, Reference]) -> DataFrame:
    """Target ids: of each row of a target, with a null ``by``; of each row that refers to one, with the reference."""
    targets = {each.target.name: each.target for each in references.values()}
    found = []
    for table, rows in tables.items():
        ids = [_id(each.target, each.column, by=name) for name, each in references.items() if each.table.name == table]
        if table in targets:
            ids.append(_id(targets[table], targets[table].key[-1], by=None))
        if ids:
            found.append(rows.select("site", F.inline(F.array(*ids))).where("id IS NOT NULL"))
    return reduce(DataFrame.unionByName, found)


def _id(target: Table, column: str, *, by: str | None) -> Column:
    return F.struct(F.lit(target.name).alias("target"), F.col(column).alias("id"), F.lit(by).cast("string").alias("by"))


def _named(reference: Reference) -> list[Column]:
    names = {"table_name": reference.table.name, "reference": reference.column, "missing_in": reference.target.name}
    return [F.lit(value).alias(name) for name, value in names.items()]
