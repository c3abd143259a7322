"""An error for users that a task raises is the one that the command shows."""

from collections.abc import Iterator

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
