"""What the package uses of Spark's Java beyond the public interface."""

import socket
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from cqa_spark.spark.frames import persisted
from cqa_spark.spark.internals import (
    active_context,
    estimated_bytes,
    java_address,
    keep_java_classes,
    running_stages,
    scan_of,
    set_hadoop_options,
    task_slots,
)

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


def test_java_listens_at_its_address(spark: SparkSession) -> None:
    address = java_address()
    assert address is not None
    socket.create_connection(address, timeout=10).close()
    assert active_context() is spark.sparkContext


def test_the_objects_of_java_classes_are_kept(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    keep_java_classes(spark, ["java.util.ArrayDeque"])
    assert jvm.java.util.ArrayDeque is jvm.java.util.ArrayDeque
    assert jvm.java.util.ArrayDeque().size() == 0


def test_sizes_are_estimated_before_and_after_rows_are_persisted(spark: SparkSession) -> None:
    numbers = spark.range(1000)
    assert estimated_bytes(numbers) == 8000
    crossed = numbers.crossJoin(numbers.toDF("other")).crossJoin(numbers.toDF("third")).where("id = other + third")
    assert estimated_bytes(crossed.crossJoin(crossed.toDF("a", "b", "c"))) > 1 << 63
    with persisted(numbers.where("id < 10")) as (few,):
        few.count()
        assert estimated_bytes(few) == 80


def test_a_task_runs_on_every_core(spark: SparkSession) -> None:
    assert spark.sparkContext.master.startswith(f"local[{task_slots()}, ")


def test_options_of_hadoop_reach_a_session_that_runs(spark: SparkSession) -> None:
    set_hadoop_options(spark, [("cqa.test", "a value")])
    hadoop: Any = spark.sparkContext._jsc.hadoopConfiguration()
    assert hadoop.get("cqa.test") == "a value"
    hadoop.unset("cqa.test")


def test_a_running_stage_is_seen_with_its_tasks(spark: SparkSession) -> None:
    def wait(rows: Iterable[Any]) -> Iterator[int]:
        while not released.is_file():
            time.sleep(0.02)
        yield sum(1 for _ in rows)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        released = Path(folder, "released")
        counts = threads.submit(spark.sparkContext.parallelize(range(4), 2).mapPartitions(wait).collect)
        try:
            while not (stages := running_stages(spark)):
                time.sleep(0.02)
        finally:
            released.touch()
        assert [(stage.tasks, stage.done, stage.rows) for stage in stages] == [(2, 0, 0)]
        assert counts.result() == [2, 2]
