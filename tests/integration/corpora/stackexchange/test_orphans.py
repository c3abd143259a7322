"""Which rows point to nothing."""

from __future__ import annotations

from random import Random

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.stackexchange.orphans import orphans, orphans_after_changes
from cqa_spark.lake.schemas.accounting import ORPHANS


def rows(spark: SparkSession, columns: str, *values: tuple[str | None, ...]) -> DataFrame:
    return spark.createDataFrame(values, ", ".join(f"{name} string" for name in columns.split()))


def counted(tables: dict[str, DataFrame]) -> list[tuple[object, ...]]:
    found = ORPHANS.conform(orphans(tables))
    return [tuple(entry.values()) for entry in found]


def test_rows_that_point_to_nothing_are_counted_by_site_and_reference(spark: SparkSession) -> None:
    """Post 1 of site b is not there for a; an empty reference points nowhere; what is pointed to twice counts twice."""
    posts = rows(
        spark, "site post_id thread_id accepted_answer_id user_id",
        ("a", "2", "2", "3", "7"), ("a", "3", "2", None, None), ("a", "4", "1", None, "8"), ("b", "1", "1", None, "8"),
    )  # fmt: skip
    votes = rows(spark, "site post_id", ("a", "1"), ("a", "1"), ("a", "2"), ("b", "9"))
    users = rows(spark, "site user_id", ("a", "7"), ("b", "8"))
    assert counted({"posts": posts, "votes": votes, "users": users}) == [
        ("a", "posts", "thread_id", "posts", 1),
        ("a", "posts", "user_id", "users", 1),
        ("a", "votes", "post_id", "posts", 2),
        ("b", "votes", "post_id", "posts", 1),
    ]


def test_a_table_that_was_not_read_misses_nothing(spark: SparkSession) -> None:
    posts = rows(spark, "site post_id thread_id accepted_answer_id user_id", ("a", "2", "2", None, "7"))
    assert counted({"posts": posts}) == []
    assert counted({"votes": rows(spark, "site post_id", ("a", "1"))}) == []


COLUMNS = {
    "posts": "site post_id thread_id accepted_answer_id user_id",
    "comments": "site comment_id post_id user_id",
    "users": "site user_id",
}


def invent(rng: Random, table: str, site: str, row_id: str) -> tuple[str | None, ...]:
    """A row that refers to a few ids, or to none."""
    references = COLUMNS[table].split()[2:]
    return (site, row_id, *(rng.choice([None, *"12345"]) if name != "thread_id" else "1" for name in references))


def test_counts_after_changes_are_those_of_counting_all(spark: SparkSession) -> None:
    """Forty sites, in which rows came, went and changed; some unchanged rows are given as gone and as new."""
    rng = Random(5)
    before, after, gone, new = ({name: [] for name in COLUMNS} for _ in range(4))
    for site in map("s{}".format, range(40)):
        for name in COLUMNS:
            for row_id in "12345678":
                row, change = invent(rng, name, site, row_id), rng.random()
                was = [] if change < 0.15 else [row]
                now = [] if change > 0.85 else [invent(rng, name, site, row_id)] if change > 0.7 else [row]
                before[name] += was
                after[name] += now
                if was != now or rng.random() < 0.1:
                    gone[name] += was
                    new[name] += now
    tables = {
        name: {
            side: rows(spark, columns, *sides[name])
            for side, sides in (("before", before), ("after", after), ("gone", gone), ("new", new))
        }
        for name, columns in COLUMNS.items()
    }
    earlier, later = ({name: each[side] for name, each in tables.items()} for side in ("before", "after"))
    changes = {name: (each["gone"], each["new"]) for name, each in tables.items()}
    assert orphans_after_changes(orphans(earlier), later, changes) == orphans(later)
    assert orphans(later) != orphans(earlier)


def test_nothing_changed(spark: SparkSession) -> None:
    users = rows(spark, "site user_id", ("a", "7"))
    comments = rows(spark, "site comment_id user_id", ("a", "1", "8"))
    tables = {"users": users, "badges": comments}
    before = orphans(tables)
    none = {name: (frame.limit(0), frame.limit(0)) for name, frame in tables.items()}
    assert orphans_after_changes(before, tables, none) == before != []
    assert orphans_after_changes(before, tables, {}) == before
    assert orphans_after_changes(before, tables, {"tags": none["users"]}) == before
