"""Counts rows that refer to rows missing from the dump; such rows are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import ORPHANS
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.table import Table
from cqa_spark.spark.persistence import persisted


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


_ID = ["site", "target", "id"]
_VERSIONS = ("was", "now")


def orphans(tables: Mapping[str, DataFrame]) -> list[Entry]:
    """Count the rows with dangling references.

    Args:
        tables: the tables that were read, by name; references to or from other tables are skipped.

    Returns:
        Entries of ``ORPHANS``: one for each site and reference with orphans.
    """
    found = _between(tables)
    if not found:
        return []
    # References and targets are grouped by target id in one shuffle; rows are pre-aggregated and shuffled once.
    by_id = _ids(tables, found).groupBy(*_ID)
    counts = [F.count_if(F.col("by") == name).alias(name) for name in found]
    missing = by_id.agg(F.count_if(F.col("by").isNull()).alias("there"), *counts).where("there = 0")
    return _entries(found, _by_site(missing, found))


def orphans_after_changes(
    before: Iterable[Entry], tables: Mapping[str, DataFrame], changes: Mapping[str, tuple[DataFrame, DataFrame]]
) -> list[Entry]:
    """Count the rows with dangling references, as ``orphans`` does, from the counts of an earlier version.

    Only ids in changed rows are counted, before and after the change, so rows that do not refer to them are not
    shuffled.

    Args:
        before: the entries of the earlier version, which has the same tables.
        tables: the tables of the later version, by name.
        changes: deleted and added rows of each changed table, few enough to broadcast their ids; unchanged rows may be
            in both.

    Returns:
        The entries of the later version.
    """
    found = _between(tables)
    involved = {name for each in found.values() for name in _both(each)}
    changes = {name: rows for name, rows in changes.items() if name in involved}
    if not changes:
        return list(before)
    total = Counter({tuple(entry[name] for name in ORPHANS.key): entry["rows"] for entry in before})
    with persisted(_ids_in_changes(found, changes)) as (changed,):
        total.update(_by_site(_differences(found, tables, changed), found))
    return _entries(found, total)


def _ids_in_changes(
    references: Mapping[str, Reference], changes: Mapping[str, tuple[DataFrame, DataFrame]]
) -> DataFrame:
    """The ids in deleted and added rows, with weights that turn counts of the later version into those of both.

    The later version, without the added rows and with the deleted ones, is the earlier version.
    """
    gone, new = ({name: rows[side] for name, rows in changes.items()} for side in (0, 1))
    sides = [_ids(rows, references).withColumns(_weights(was, 0)) for rows, was in ((gone, 1), (new, -1))]
    return reduce(DataFrame.unionByName, sides)


def _differences(references: Mapping[str, Reference], tables: Mapping[str, DataFrame], changed: DataFrame) -> DataFrame:
    """By id, the number of orphans of each reference that came or went."""
    # Joined by 64-bit hashes, which takes half the time of joining by three texts. An unchanged id with an equal hash
    # does no harm: it counts equally in both versions. Spark would push a semi join into the union.
    hashes = F.broadcast(changed.select(F.xxhash64(*_ID).alias("hash")).distinct())
    of_changed = _ids(tables, references).withColumn("hash", F.xxhash64(*_ID)).join(hashes, "hash").drop("hash")
    counts = (
        of_changed.withColumns(_weights(1, 1))
        .unionByName(changed)
        .groupBy(*_ID)
        .agg(
            *[_sum_if(F.col("by").isNull(), version).alias(f"there_{version}") for version in _VERSIONS],
            *[
                _sum_if(F.col("by") == name, version).alias(f"{name}_{version}")
                for name in references
                for version in _VERSIONS
            ],
        )
    )
    return counts.select(
        "site", *[(_orphaned(name, "now") - _orphaned(name, "was")).alias(name) for name in references]
    )


def _weights(was: int, now: int) -> dict[str, Column]:
    return {"was": F.lit(was), "now": F.lit(now)}


def _between(tables: Mapping[str, DataFrame]) -> dict[str, Reference]:
    """The references between some tables, by a name for each."""
    return {f"reference_{number}": each for number, each in enumerate(REFERENCES) if _both(each) <= tables.keys()}


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


def _both(reference: Reference) -> set[str]:
    return {reference.table.name, reference.target.name}


def _id(target: Table, column: str, *, by: str | None) -> Column:
    return F.struct(F.lit(target.name).alias("target"), F.col(column).alias("id"), F.lit(by).cast("string").alias("by"))


def _hash() -> Column:
    return F.xxhash64(*_ID).alias("hash")


def _sum_if(condition: Column, numbers: str) -> Column:
    return F.sum(F.when(condition, F.col(numbers)).otherwise(0))


def _orphaned(reference: str, version: str) -> Column:
    return F.when(F.col(f"there_{version}") == 0, F.col(f"{reference}_{version}")).otherwise(0)


def _by_site(orphaned: DataFrame, references: Mapping[str, Reference]) -> Counter[tuple[str, ...]]:
    """The sum of each reference's column, by the key of ``ORPHANS``."""
    sums = orphaned.groupBy("site").agg(*[F.sum(name).alias(name) for name in references]).collect()
    return Counter(
        {(row["site"], each.table.name, each.column): row[name] for row in sums for name, each in references.items()}
    )


def _entries(references: Mapping[str, Reference], counts: Mapping[tuple[str, ...], int]) -> list[Entry]:
    missing_in = {(each.table.name, each.column): each.target.name for each in references.values()}
    return [
        {
            "site": site,
            "table_name": table,
            "reference": column,
            "missing_in": missing_in[table, column],
            "rows": rows,
        }
        for (site, table, column), rows in sorted(counts.items())
        if rows
    ]
