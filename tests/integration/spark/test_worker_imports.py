"""The import path of Spark's Python workers in local mode."""

import sys
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession


def test_workers_import_from_folders_only(spark: SparkSession) -> None:
    def import_path(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict(
                {"entry": [entry for entry in sys.path if entry.endswith((".jar", ".zip"))]}
            )

    archives = [row.entry for row in spark.range(1, numPartitions=1).mapInArrow(import_path, "entry string").collect()]
    assert archives == []
