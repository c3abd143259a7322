"""Every column of times in every table reads the same texts as times, on the fast path and on the tolerant one."""

from __future__ import annotations

from functools import reduce

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.columns import column_types
from cqa_spark.corpora.stackexchange.dump_tables import DUMP_TABLES, DumpTable
from cqa_spark.corpora.stackexchange.fast_path import parse_lines
from cqa_spark.corpora.stackexchange.file_probe import Layout
from cqa_spark.corpora.stackexchange.line_batches import ROW
from cqa_spark.corpora.stackexchange.tolerant_path import parse_records

TIMES = {
    "2021-03-04T05:06:07.089": "2021-03-04 05:06:07.089",
    "2021-03-04T05:06:07.0891234": "2021-03-04 05:06:07.089123",
    "2021-03-04T05:06:07": "2021-03-04 05:06:07",
    "2021-03-04T05:06:07Z": "2021-03-04 05:06:07",
    "2021-03-04T05:06:07+05:30": "2021-03-03 23:36:07",
    "2021-03-04T05:06:07-18:00": "2021-03-04 23:06:07",
    "2021-03-04 05:06": "2021-03-04 05:06:00",
    "2021-03-04": "2021-03-04 00:00:00",
    "2020-02-29": "2020-02-29 00:00:00",
    "1970-01-01T00:00:00": "1970-01-01 00:00:00",
    "2199-12-31T23:59:59.999999": "2199-12-31 23:59:59.999999",
}
NO_TIMES = (
    "", " ", "2021", "2021-03", "2021-3-4", "2021-03-", "now", "05:06:07", "T05:06:07", "1614834367", " 2021-03-04",
    "2021-02-31T00:00:00", "2021-02-29", "2021-13-01", "2021-03-04T24:00:00", "2016-12-31T23:59:60",
    "2021-03-04T05:06:07+99:00", "2021-03-04T", "٢٠٢١-03-04",
    "0000-01-01T00:00:00", "0001-01-01T00:00:00", "-5000-01-01T00:00:00", "-500-01-01", "1582-10-10", "1899-12-31",
    "1969-12-31T23:59:59.999", "1970-01-01T00:00:00+00:01", "2200-01-01T00:00:00", "9999-12-31T23:59:59.999",
    "10000-01-01T00:00:00", "+120000-01-01T00:00:00", "120000-01-01",
)  # fmt: skip
OTHERS = {"TagName": "a", "RevisionGUID": "a"}

Found = dict[tuple[str, str, str], str | None]
"""What was read, by table, attribute and text: a time, or the reason of its refusal; null where it is refused."""


def dated(dump: DumpTable) -> list[str]:
    types = column_types(dump)
    return [name for name, column in dump.attributes.items() if types[column].simpleString() == "timestamp"]


def lines(spark: SparkSession, dump: DumpTable) -> DataFrame:
    rows = []
    for attribute in dated(dump):
        for text in (*TIMES, *NO_TIMES):
            required = " ".join(f'{name}="{OTHERS.get(name, "1")}"' for name in dump.required)
            rows.append((attribute, text, f'  <row {required} {attribute}="{text}" />'))
    given = spark.createDataFrame(rows, "attribute string, written string, value string")
    return given.withColumns(
        {"file": F.lit(0), "block_start": F.lit(0).cast("bigint"), "place": F.monotonically_increasing_id()}
    )


def read_by(dump: DumpTable, rows: DataFrame, is_refused: str) -> DataFrame:
    """Table, attribute, text and the time or reason of every row."""
    by_attribute = F.create_map(
        *[each for name in dated(dump) for each in (F.lit(name), F.col(dump.attributes[name]).cast("string"))]
    )
    read = F.when(F.expr(is_refused), F.col("problem")).otherwise(by_attribute[F.col("attribute")])
    return rows.select(F.lit(dump.file).alias("table"), "attribute", "written", read.alias("read"))


def fast(spark: SparkSession, dump: DumpTable) -> DataFrame:
    parsed = parse_lines(lines(spark, dump), dump).select("*", "row.*", F.lit(None).cast("string").alias("problem"))
    return read_by(dump, parsed, f"kind != {ROW}")


def tolerant(spark: SparkSession, dump: DumpTable) -> DataFrame:
    given = lines(spark, dump)
    located = given.select(
        F.lit(0).alias("file"), F.col("place").alias("byte_offset"), F.length("value").cast("bigint").alias("length"),
        F.col("value").cast("binary").alias("raw"),
    )  # fmt: skip
    outcomes = parse_records(located, dump, Layout.ROW_PER_LINE).join(
        given.select(F.col("place").alias("byte_offset"), "attribute", "written"), "byte_offset"
    )
    return read_by(dump, outcomes, "problem is not null")


def collect(frames: list[DataFrame]) -> Found:
    both = reduce(DataFrame.unionByName, frames).collect()
    return {(row["table"], row["attribute"], row["written"]): row["read"] for row in both}


@pytest.fixture(scope="module")
def tables() -> list[DumpTable]:
    return [dump for dump in DUMP_TABLES if dated(dump)]


def test_the_columns_of_times(tables: list[DumpTable]) -> None:
    assert {dump.file: dated(dump) for dump in tables} == {
        "Posts": ["CreationDate", "DeletionDate", "LastEditDate", "LastActivityDate", "ClosedDate",
                  "CommunityOwnedDate"],
        "Users": ["CreationDate", "LastAccessDate"],
        "Comments": ["CreationDate"],
        "Votes": ["CreationDate"],
        "Badges": ["Date"],
        "PostLinks": ["CreationDate"],
        "PostHistory": ["CreationDate"],
    }  # fmt: skip


def test_the_fast_path(spark: SparkSession, tables: list[DumpTable]) -> None:
    assert collect([fast(spark, dump) for dump in tables]) == {
        (dump.file, attribute, text): TIMES.get(text)
        for dump in tables for attribute in dated(dump) for text in (*TIMES, *NO_TIMES)
    }  # fmt: skip


def test_the_tolerant_path_and_its_reasons(spark: SparkSession, tables: list[DumpTable]) -> None:
    assert collect([tolerant(spark, dump) for dump in tables]) == {
        (dump.file, attribute, text): TIMES.get(text, f"{attribute} is no time from 1970 to 2199: {text}")
        for dump in tables for attribute in dated(dump) for text in (*TIMES, *NO_TIMES)
    }  # fmt: skip
