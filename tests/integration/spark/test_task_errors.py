"""What happens to tasks that fail: an error for users is the one that the command shows, others are tried again."""

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.spark.failures import explained


def test_an_error_of_a_task_is_explained_as_that_error(spark: SparkSession) -> None:
    def refuse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise EnvironmentProblem("s3a://bucket/a: no answer from the object storage: 503", "run the job again")

    with pytest.raises(Exception) as raised:  # noqa: PT011 - Spark's own class, which is not part of its interface
        spark.range(1).mapInArrow(refuse, "id bigint").collect()
    found = explained(raised.value)
    assert isinstance(found, EnvironmentProblem)
    assert (found.problem, found.remedy) == (
        "s3a://bucket/a: no answer from the object storage: 503", "run the job again"
    )  # fmt: skip


def test_a_python_worker_that_the_system_kills_does_not_end_a_job_on_one_machine(
    spark: SparkSession, tmp_path: Path
) -> None:
    def die_twice(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        deaths = len(list(tmp_path.iterdir()))
        if deaths < 2:
            (tmp_path / str(deaths)).touch()
            os._exit(137)
        yield from batches

    assert spark.range(3, numPartitions=1).mapInArrow(die_twice, "id bigint").count() == 3
