"""Rows that came, went or changed, and revising a table by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from cqa_spark.lake.changes import changed_columns, changed_rows
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table, column

ROWS = Table(
    "rows",
    "Made for the test.",
    (
        column("site", "string", "the site", nullable=False),
        column("id", "string", "the key", nullable=False),
        column("one", "string", "a text"),
        column("other", "string", "another"),
        column("more", T.MapType(T.StringType(), T.StringType()), "in no order"),
        column("source_file", "string", "not compared"),
    ),
    key=("site", "id"),
)


def rows(spark: SparkSession, values: list[tuple[object, ...]]) -> DataFrame:
    return spark.createDataFrame([("s", *value) for value in values], ROWS.schema)


@pytest.fixture
def versions(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    before = [
        ("same", "a", None, {"x": "1", "y": "2"}, "monday"),
        ("gone", "a", "b", None, "monday"),
        ("swapped", "a", None, None, "monday"),
        ("edited", "a", "b", {"x": "1"}, "monday"),
    ]
    after = [
        ("same", "a", None, {"y": "2", "x": "1"}, "tuesday"),
        ("swapped", None, "a", None, "tuesday"),
        ("edited", "a", "c", {"x": "1"}, "tuesday"),
        ("new", None, None, None, "tuesday"),
    ]
    return rows(spark, before), rows(spark, after)


def found(frame: DataFrame) -> set[tuple[object, ...]]:
    return {tuple(row) for row in frame.drop("site").collect()}


def test_rows_by_key_and_content(versions: tuple[DataFrame, DataFrame]) -> None:
    assert found(changed_rows(ROWS, *versions, kept=("other",))) == {
        ("gone", "gone", True, "b"),
        ("swapped", "changed", True, None), ("swapped", "changed", True, "a"),
        ("edited", "changed", True, "b"), ("edited", "changed", True, "c"),
        ("new", "new", True, None),
    }  # fmt: skip
    assert found(changed_rows(ROWS, *versions, tracked=("one",))) == {
        ("gone", "gone", True), ("swapped", "changed", True), ("edited", "changed", False), ("new", "new", True),
    }  # fmt: skip


def test_revising_an_earlier_version_leaves_out_what_came_between(
    versions: tuple[DataFrame, DataFrame], spark: SparkSession, tmp_path: Path
) -> None:
    before, after = versions
    lake = Lake(spark, str(tmp_path / "lake"))
    base = lake.write(ROWS, before, author="r1").version
    lake.write(ROWS, after, author="r2")
    stale = before.where("id in ('gone', 'edited')").select("site", "id")
    written = lake.merge_rows(ROWS, after.where("id in ('edited', 'new')"), stale=stale, base=base, author="r3")
    assert written.rows == 2
    assert {(row["id"], row["source_file"]) for row in lake.read(ROWS, written.version).collect()} == {
        ("same", "monday"), ("swapped", "monday"), ("edited", "tuesday"), ("new", "tuesday"),
    }  # fmt: skip
    assert lake.read(ROWS, base).count() == 4


@pytest.fixture
def adaptive(spark: SparkSession) -> Iterator[None]:
    """Plans adapt while they run, as those of jobs do; those of most tests do not."""
    name = "spark.sql.adaptive.enabled"
    before = spark.conf.get(name)
    spark.conf.set(name, "true")
    yield
    spark.conf.set(name, before)


@pytest.mark.usefixtures("adaptive")
def test_few_rows_are_added_in_one_file(
    versions: tuple[DataFrame, DataFrame], spark: SparkSession, tmp_path: Path
) -> None:
    before, after = versions
    table = replace(ROWS, partition_by=("site",))
    lake = Lake(spark, str(tmp_path / "lake"))
    base = lake.write(table, before, author="r1").version
    new = after.where("id <> 'same'").repartition(3)
    assert lake.merge_rows(table, new, stale=None, base=base, author="r2").rows == 3
    stored = spark.read.format("delta").load(lake.path(table.name))
    assert stored.where("source_file = 'tuesday'").select("_metadata.file_path").distinct().count() == 1


def test_rows_that_both_sides_hold_are_no_changes(versions: tuple[DataFrame, DataFrame], spark: SparkSession) -> None:
    before, after = versions
    between = rows(spark, [("edited", "a", "between", None, "noon"), ("came and went", None, None, None, "noon")])
    widened = before.unionByName(between), after.unionByName(between)
    assert found(changed_rows(ROWS, *widened, kept=("other",))) == found(changed_rows(ROWS, *versions, kept=("other",)))
    tracked = changed_rows(ROWS, *widened, tracked=("one",)).where("id = 'edited'")
    assert found(tracked) == {("edited", "changed", False)}


def test_the_columns_that_differ(versions: tuple[DataFrame, DataFrame]) -> None:
    rows = changed_columns(ROWS, *versions).orderBy("id").collect()
    assert [(row["id"], row["change"], row["columns"]) for row in rows] == [
        ("edited", "changed", ["other"]),
        ("gone", "gone", []),
        ("new", "new", []),
        ("swapped", "changed", ["one", "other"]),
    ]


@pytest.mark.parametrize("keeps_changes", [True, False])
def test_changes_between_versions_far_apart(
    versions: tuple[DataFrame, DataFrame], spark: SparkSession, tmp_path: Path, keeps_changes: bool
) -> None:
    """However a table got from one version to the other; where it keeps its changes, what stayed is not read."""
    table = replace(ROWS, keeps_changes=keeps_changes)
    before, after = versions
    lake = Lake(spark, str(tmp_path / "lake"))
    base = lake.write(table, before, author="r1").version
    lake.write(table, before.where("id = 'gone'"), author="r2")
    written = lake.merge_rows(
        table, after.where("id <> 'same'"), stale=before.where("id <> 'same'").select("site", "id"), base=base,
        author="r3",
    )  # fmt: skip
    changes = lake.read_changes(table, base, written.version)
    assert found(changed_rows(table, *changes, kept=("other",))) == found(
        changed_rows(table, *versions, kept=("other",))
    )
    assert [side.where("id = 'same'").count() for side in changes] == ([0, 0] if keeps_changes else [1, 1])
    assert [side.count() for side in lake.read_changes(table, base, base)] == [0, 0]
