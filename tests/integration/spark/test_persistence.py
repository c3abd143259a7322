from __future__ import annotations

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from cqa_spark.spark.persistence import persisted, scan_of

ROWS = [Row(id=0, twice=0), Row(id=1, twice=2), Row(id=2, twice=4)]


def plan_of(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().analyzed().toString())


def test_a_scan_has_the_rows_and_no_plan_of_their_computation(spark: SparkSession) -> None:
    doubled = spark.range(3).withColumn("twice", F.col("id") * 2)
    with persisted(doubled) as (scan,):
        assert sorted(scan.collect()) == sorted(doubled.collect()) == ROWS
        assert scan.schema == doubled.schema
        assert plan_of(scan).startswith("InMemoryRelation")
        assert "Range" not in plan_of(scan.where("id > 1")).partition("InMemoryRelation")[0]
        assert doubled.storageLevel.useMemory
    assert not doubled.storageLevel.useMemory


def test_a_scan_joins_itself(spark: SparkSession) -> None:
    doubled = spark.range(3).withColumn("twice", F.col("id") * 2)
    with persisted(doubled) as (scan,):
        halves = scan.select(F.col("twice").alias("id"), F.col("id").alias("half"))
        assert sorted(scan.join(halves, "id").collect()) == [Row(id=0, twice=0, half=0), Row(id=2, twice=4, half=1)]
        both = scan.alias("a").join(scan.alias("b"), F.col("a.id") == F.col("b.twice"))
        assert both.count() == 2


def test_the_scan_of_a_frame_that_was_read_before_it_was_persisted(spark: SparkSession) -> None:
    doubled = spark.range(3).withColumn("twice", F.col("id") * 2)
    assert doubled.count() == 3
    doubled.persist()
    assert plan_of(scan_of(doubled)).startswith("InMemoryRelation")
    doubled.unpersist()
