"""What Spark's messages are taken for; the messages are those of Spark 3.5, cut short."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkRuntimeError

from cqa_spark.spark.failures import explained

ABORTED = "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, "
LOST = ABORTED + "most recent failure: Lost task 0.3 in stage 0.0 (TID 3) "


@pytest.mark.parametrize(
    ("message", "problem", "advice"),
    [
        (
            f"{LOST}(10.0.0.7 executor 1): java.lang.OutOfMemoryError: Java heap space\n\tat org.apache.spark",
            "an executor ran out of memory",
            "--executor-memory",
        ),
        (
            f"{LOST}(10.0.0.7 executor 1): ExecutorLostFailure (executor 1 exited caused by one of the running tasks) "
            "Reason: Command exited with code 52",
            "an executor ran out of memory",
            "--executor-memory",
        ),
        (
            f"{LOST}(10.0.0.7 executor 1): ExecutorLostFailure (executor 1 exited caused by one of the running tasks) "
            "Reason: Command exited with code 137",
            "an executor exceeded its memory limit and was killed",
            "memoryOverheadFactor",
        ),
        (
            f"{LOST}(laptop executor driver): java.lang.OutOfMemoryError: GC overhead limit exceeded",
            "Spark's Java process ran out of memory",
            "--spark.driver-memory",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", "Spark's Java process ran out of memory", "--driver-memory"),
    ],
)
def test_memory(message: str, problem: str, advice: str) -> None:
    found = explained(RuntimeError(message))
    assert found is not None
    assert (found.problem, found.exit_code) == (problem, 4)
    assert advice in found.remedy


@pytest.mark.parametrize(
    ("message", "problem", "advice"),
    [
        ("[SPARK-24819]: Barrier execution mode does not allow run a barrier stage", "than Spark has cores", "workers"),
        ("[SPARK-24942]: Barrier execution mode does not support dynamic resource allocation for now.", "dynamically",
         "spark.dynamicAllocation.enabled=false"),
    ],
)  # fmt: skip
def test_training_workers(message: str, problem: str, advice: str) -> None:
    found = explained(RuntimeError(ABORTED + message))
    assert found is not None
    assert problem in found.problem
    assert advice in found.remedy


@pytest.mark.parametrize(
    "error",
    [
        Py4JNetworkError("Answer from Java side is empty"),
        Py4JError("An error occurred while calling o105.sc"),
        ConnectionRefusedError(111),
    ],
)
def test_a_java_process_that_is_gone(error: Exception) -> None:
    found = explained(error)
    assert found is not None
    assert found.problem == "Spark's Java process has ended, possibly because it ran out of memory"


S3A = "java.nio.file.AccessDeniedException: s3a://bucket/lake/posts/part-0.parquet: put: AmazonS3Exception: made up "


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("(Service: Amazon S3; Status Code: 507; Error Code: InsufficientStorage; Request ID: null)",
         "the object storage is full: 507 InsufficientStorage"),
        ("(Service: Amazon S3; Status Code: 403; Error Code: QuotaExceeded; Request ID: null)",
         "the object storage is full: 403 QuotaExceeded"),
        ("(Service: Amazon S3; Status Code: 403; Error Code: AccessDenied; Request ID: null)",
         "the object storage refuses: 403 AccessDenied"),
    ],
)  # fmt: skip
def test_a_bucket_that_refuses(answer: str, problem: str) -> None:
    found = explained(RuntimeError(f"{LOST}(10.0.0.7 executor 1): {S3A}{answer}"))
    assert found is not None
    assert (found.problem, found.exit_code) == (f"s3a://bucket/lake/posts/part-0.parquet: {problem}", 4)


def test_java_that_ends_while_it_starts() -> None:
    found = explained(PySparkRuntimeError(error_class="JAVA_GATEWAY_EXITED", message_parameters={}))
    assert found is not None
    assert (found.problem, found.exit_code) == ("Spark's Java process ended while it started", 4)


def test_defects_stay_defects() -> None:
    assert explained(RuntimeError(f"{LOST}(10.0.0.7 executor 1): java.lang.NullPointerException")) is None
    assert explained(KeyError("column")) is None


def test_a_copy_within_a_full_bucket_names_where_to() -> None:
    message = (
        "copyFile(lake/uncommitted/1/part-0.parquet, lake/posts/part-0.parquet) on lake/uncommitted/1/part-0.parquet: "
        "com.amazonaws.services.s3.model.AmazonS3Exception: (Service: Amazon S3; Status Code: 507; "
        "Error Code: InsufficientStorage; Request ID: null)"
    )
    found = explained(RuntimeError(message), ["s3a://bucket/lake"])
    assert found is not None
    assert (
        found.problem == "s3a://bucket/lake/posts/part-0.parquet: the object storage is full: 507 InsufficientStorage"
    )
