"""Which rows point to nothing."""

from collections import Counter
from random import Random

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.stackexchange.orphans import orphans
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


TARGETS = {"thread_id": "posts", "accepted_answer_id": "posts", "post_id": "posts", "user_id": "users"}


def invent(rng: Random, table: str, site: str, row_id: str) -> tuple[str | None, ...]:
    """A row that refers to a few ids, or to none."""
    references = COLUMNS[table].split()[2:]
    return (site, row_id, *(rng.choice([None, *"12345"]) if name != "thread_id" else "1" for name in references))


def test_counts_of_many_sites_are_those_of_looking_up_each_id(spark: SparkSession) -> None:
    rng = Random(5)
    tables = {
        name: [invent(rng, name, site, row_id) for site in map("s{}".format, range(40)) for row_id in "12345678"
               if rng.random() < 0.8]
        for name in COLUMNS
    }  # fmt: skip
    there = {(name, site, row_id) for name, found in tables.items() for site, row_id, *_ in found}
    looked_up = Counter(
        (row[0], name, column, target)
        for name, found in tables.items()
        for row in found
        for column, value in zip(COLUMNS[name].split()[2:], row[2:], strict=True)
        if value is not None and ((target := TARGETS[column]), row[0], value) not in there
    )
    counts = counted({name: rows(spark, columns, *tables[name]) for name, columns in COLUMNS.items()})
    assert {tuple(key): count for *key, count in counts} == looked_up
    assert len(counts) > 40
