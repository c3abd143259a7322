"""Collecting binary values."""

from pyspark.sql import SparkSession

from cqa_spark.spark.frames import arrow_rows

EVERY_BYTE = bytes(range(256))


def test_each_byte_is_as_it_was(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [(1, EVERY_BYTE, 0.5, ["a", "b"])], "n int, packed binary, x double, words array<string>"
    )
    (row,) = arrow_rows(frame)
    assert (row["n"], row["packed"], row["x"], list(row["words"])) == (1, EVERY_BYTE, 0.5, ["a", "b"])


def test_no_rows(spark: SparkSession) -> None:
    assert arrow_rows(spark.createDataFrame([], "packed binary")) == []
