"""What Spark's messages are taken for; the messages are those of Spark 3.5, cut short."""

import socket
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors import PySparkRuntimeError

from cqa_spark.spark.failures import explained

ENDED = "Spark's Java process has ended, possibly because it ran out of memory"
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
        (
            "Job aborted due to stage failure: Total size of serialized results of 720 tasks (1.4 GiB) is bigger than "
            "spark.driver.maxResultSize (1024.0 MiB)",
            "the results of tasks are larger than the driver accepts",
            "spark.driver.maxResultSize",
        ),
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
    assert found.problem == ENDED


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
        ("(Service: Amazon S3; Status Code: 403; Error Code: AccountProblem; Request ID: null)",
         "the object storage refuses: 403 AccountProblem"),
        ("(Service: Amazon S3; Status Code: 500; Error Code: InternalError; Request ID: null)",
         "no answer from the object storage: 500 InternalError"),
        ("(Service: Amazon S3; Status Code: 503; Error Code: SlowDown; Request ID: null)",
         "no answer from the object storage: 503 SlowDown"),
        ("(Service: null; Status Code: 502; Error Code: 502 Bad Gateway; Request ID: null)",
         "no answer from the object storage: 502 Bad Gateway"),
        ("com.amazonaws.SdkClientException: Unable to execute HTTP request: Connect to s3:9000 failed: refused",
         "no answer from the object storage: Unable to execute HTTP request: Connect to s3:9000 failed: refused"),
        ("org.apache.hadoop.fs.s3a.auth.NoAuthWithAWSException: No AWS Credentials provided by chain",
         "no credentials for the object storage"),
    ],
)  # fmt: skip
def test_a_bucket_that_refuses_or_does_not_answer(answer: str, problem: str) -> None:
    found = explained(RuntimeError(f"{LOST}(10.0.0.7 executor 1): {S3A}{answer}"))
    assert found is not None
    assert (found.problem, found.exit_code) == (f"s3a://bucket/lake/posts/part-0.parquet: {problem}", 4)


TASK = f"""{LOST}(10.0.0.7 executor 1): org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/cqa_spark/object_store/bucket.py", line 150, in until_answered
cqa_spark.object_store.requests.NoAnswer: ('s3a://bucket/lake/a', '503 SlowDown')

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/cqa_spark/lake/writing.py", line 70, in write
cqa_spark.errors.{{}}

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:572)
"""


@pytest.mark.parametrize(
    ("raised", "exit_code", "problem", "remedy"),
    [
        ("EnvironmentProblem: s3a://bucket/lake/a: no answer from the object storage: 503 SlowDown\n  → try again", 4,
         "s3a://bucket/lake/a: no answer from the object storage: 503 SlowDown", "try again"),
        ("ContractError: two lines:\n  - a problem\n  → restore it", 5, "two lines:\n  - a problem", "restore it"),
    ],
)  # fmt: skip
def test_an_error_for_users_that_a_task_raised(raised: str, exit_code: int, problem: str, remedy: str) -> None:
    found = explained(RuntimeError(TASK.format(raised)), ["s3a://bucket/lake"])
    assert found is not None
    assert (found.exit_code, found.problem, found.remedy) == (exit_code, problem, remedy)


class JavaIsGone(Exception):
    """An exception of Java, whose message is asked for when it is printed, as ``Py4JJavaError`` does."""

    def __str__(self) -> str:
        raise Py4JNetworkError("Answer from Java side is empty")


@pytest.fixture
def closed_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's Java process had a port at which nothing listens by now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        parameters = SimpleNamespace(address="127.0.0.1", port=server.getsockname()[1])
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(gateway_parameters=parameters))


@pytest.mark.parametrize("error", [JavaIsGone(), EOFError(), OSError("Expected to be able to read 16 bytes, got 0")])
@pytest.mark.usefixtures("closed_port")
def test_java_that_ends_before_its_error_is_explained(error: Exception) -> None:
    found = explained(error, ["/lake", "s3a://bucket/lake"])
    assert found is not None
    assert (found.problem, found.exit_code) == (ENDED, 4)


@pytest.mark.usefixtures("closed_port")
def test_a_cause_may_be_an_error_of_a_java_process_that_is_gone() -> None:
    error = ValueError("a step failed")
    error.__cause__ = JavaIsGone()
    found = explained(error)
    assert found is not None
    assert found.problem == ENDED


def test_java_that_listens_has_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        parameters = SimpleNamespace(address="127.0.0.1", port=server.getsockname()[1])
        monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(gateway_parameters=parameters))
        assert explained(KeyError("column")) is None


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (f"{LOST}(laptop executor driver): SparkException: Python worker exited unexpectedly (crashed)",
         "a Python worker of Spark was killed, probably because the machine ran out of memory"),
        (f"{LOST}(10.0.0.7 executor 1): java.io.IOException: Cannot run program \"python3.11\": error=2",
         "the workers' Python is absent or another version than the driver's"),
        ("org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down",
         "Spark was stopped while the job ran"),
        (f"{LOST}(10.0.0.7 executor 1): FetchFailed(BlockManagerId(1, 10.0.0.7, 41245, None), shuffleId=3",
         "executors were lost while the job ran"),
        (f"{LOST}(10.0.0.7 executor 1): ModuleNotFoundError: No module named 'pyarrow'",
         "the Python package pyarrow is not installed where it is needed"),
        (f"{LOST}(10.0.0.7 executor 1): java.io.FileNotFoundException: /tmp/a (Too many open files)",
         "this user has too many open files"),
        ("java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or limits reached",
         "this user has too many processes and threads"),
        (f"{LOST}(10.0.0.7 executor 1): java.io.IOException: Input/output error", "a disk or network folder failed"),
    ],
)  # fmt: skip
def test_what_the_machine_or_the_cluster_did(message: str, problem: str) -> None:
    found = explained(RuntimeError(message))
    assert found is not None
    assert (found.problem, found.exit_code) == (problem, 4)


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (f"{LOST}(laptop executor driver): org.apache.spark.SparkException: Encountered error while reading file "
         "file:///lake/posts/site=a%20b/part-0.snappy.parquet. Details:", "/lake/posts/site=a b/part-0.snappy.parquet"),
        ("[CANNOT_READ_FILE_FOOTER] Could not read footer for file: file:/lake/posts/part-0.parquet. Please ensure",
         "/lake/posts/part-0.parquet"),
        ("java.lang.RuntimeException: file:/lake/posts/part-0.parquet is not a Parquet file. Expected magic number",
         "/lake/posts/part-0.parquet"),
        ("org.apache.hadoop.fs.ChecksumException: Checksum error: file:/lake/posts/part-0.parquet at 0 exp: 1 got: 2",
         "/lake/posts/part-0.parquet"),
        ("java.io.FileNotFoundException: File file:/lake/posts/part-0.parquet does not exist",
         "/lake/posts/part-0.parquet"),
        ("java.io.FileNotFoundException: No such file or directory: s3a://bucket/lake/posts/part-0.parquet",
         "s3a://bucket/lake/posts/part-0.parquet"),
        ("[PATH_NOT_FOUND] Path does not exist: file:/lake/posts.", "/lake/posts"),
    ],
)  # fmt: skip
def test_a_damaged_or_missing_file_is_named(message: str, path: str) -> None:
    found = explained(RuntimeError(message))
    assert found is not None
    assert (found.problem, found.exit_code) == (f"{path} is missing or damaged", 3)


def test_java_that_ends_while_it_starts() -> None:
    found = explained(PySparkRuntimeError(None, "JAVA_GATEWAY_EXITED", {}))
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
