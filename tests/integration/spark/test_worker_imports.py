"""How Spark's Python workers start in local mode: what they import from, and how they receive tasks."""

import os
import socket
import sys
import traceback
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession


def test_workers_import_from_folders_only(spark: SparkSession) -> None:
    def import_path(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict(
                {"entry": [entry for entry in sys.path if entry.endswith((".jar", ".zip"))]}
            )

    archives = [row.entry for row in spark.range(1, numPartitions=1).mapInArrow(import_path, "entry string").collect()]
    assert archives == []


def test_the_workers_of_all_tasks_are_copies_of_one_process(spark: SparkSession) -> None:
    def parent(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"process": [os.getppid()]})

    of_sql = spark.range(1, numPartitions=1).mapInArrow(parent, "process long").collect()[0].process
    assert spark.sparkContext.parallelize([0], 1).map(lambda _: os.getppid()).collect() == [of_sql]


@pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="Linux alone acknowledges on demand")
def test_what_workers_receive_is_acknowledged_at_once(spark: SparkSession) -> None:
    def callers(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"caller": [frame.name for frame in traceback.extract_stack()]})

    called_by = spark.range(1, numPartitions=1).mapInArrow(callers, "caller string").collect()
    assert "run_acknowledged" in [row.caller for row in called_by]
