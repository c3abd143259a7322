"""Rows that came, went or changed between two runs."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from cqa_spark.lake.table import Table, column, required
from cqa_spark.reports.sections.table_changes import changed_columns

ROWS = Table(
    "rows",
    "Made for the test.",
    (
        required("site", "string", "the site"),
        required("id", "string", "the key"),
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


def test_the_columns_that_differ(versions: tuple[DataFrame, DataFrame]) -> None:
    rows = changed_columns(ROWS, *versions).orderBy("id").collect()
    assert [(row["id"], row["change"], row["columns"]) for row in rows] == [
        ("edited", "changed", ["other"]),
        ("gone", "gone", []),
        ("new", "new", []),
        ("swapped", "changed", ["one", "other"]),
    ]
