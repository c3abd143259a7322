"""Files of tables with hundreds of columns: the rows and counts that Spark's own writer gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.lake import wide_files
from cqa_spark.lake.new_file import NewFile
from cqa_spark.lake.new_files import NewFiles, read_new_files, write_new_files
from cqa_spark.lake.wide_files import WIDE, is_wide

SITES = ["a.org", "it's=here/ü%", None]


def many_columns(spark: SparkSession, rows: int) -> DataFrame:
    """Rows of three sites, with a struct that is sometimes null, and whose values sometimes are."""
    values = [
        F.when(F.col("id") % (place + 2) > 0, F.col("id") / (place + 1)).alias(f"v{place}") for place in range(WIDE)
    ]
    return spark.range(rows, numPartitions=2).select(
        F.when(F.col("id") % 3 == 0, SITES[0]).when(F.col("id") % 3 == 1, SITES[1]).alias("site"),
        F.when(F.col("id") % 7 > 0, F.col("id").cast("string")).alias("name"),
        F.when(F.col("id") % 4 > 0, F.struct(*values)).alias("group"),
        F.array(F.lit("x"), F.col("id").cast("string")).alias("tags"),
        F.timestamp_seconds(F.col("id") + F.lit(0.5)).alias("time"),
    )


def written(frame: DataFrame, root: Path) -> NewFiles:
    return write_new_files(frame, str(root), ["site"], ObjectStorageSettings())


def described(files: NewFiles) -> dict[str | None, tuple[int, dict[str, int]]]:
    """What the log says of the files of each site together: rows, and nulls by column."""
    by_site: dict[str | None, list[NewFile]] = {}
    for file in files.files:
        by_site.setdefault(file.action()["partitionValues"]["site"], []).append(file)
    return {
        site: (
            sum(file.rows for file in of_site),
            {name: sum(file.nulls[name] for file in of_site) for name in of_site[0].nulls},
        )
        for site, of_site in by_site.items()
    }


def test_a_table_is_wide_by_the_columns_within_structs() -> None:
    fields = [T.StructField(f"v{place}", T.DoubleType()) for place in range(WIDE)]
    assert not is_wide(T.StructType([T.StructField("group", T.StructType(fields))]))
    assert is_wide(T.StructType([T.StructField("id", T.StringType()), T.StructField("group", T.StructType(fields))]))


def test_rows_and_counts_are_those_of_sparks_writer(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In several row groups, because a task holds few rows in memory."""
    frame = many_columns(spark, 500)
    assert is_wide(frame.schema)
    monkeypatch.setattr(wide_files, "_ROWS", 100)
    ours = written(frame, tmp_path / "ours")
    monkeypatch.setattr("cqa_spark.lake.new_files.is_wide", lambda schema: False)
    theirs = written(frame, tmp_path / "theirs")
    assert described(ours) == described(theirs)
    assert described(ours).keys() == set(SITES)
    rows = [read_new_files(spark, files.files, frame) for files in (ours, theirs)]
    assert sorted(map(repr, rows[0].collect())) == sorted(map(repr, rows[1].collect()))
    assert rows[0].count() == 500


def test_no_rows_have_no_files(spark: SparkSession, tmp_path: Path) -> None:
    files = written(many_columns(spark, 500).where("name = 'none'"), tmp_path)
    assert files.files == []
    files.remove(spark)
