"""Recognizes failures that a user can fix in exceptions of Spark, and gives remedies.

Spark passes on the message of whatever failed: a task of Python or Java, Hadoop's client of a bucket, a disk, the
cluster. The messages are those of Spark 3.5 and Hadoop 3.3.
"""

import re
import socket
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkRuntimeError

from cqa_spark.errors import CqaError, EnvironmentProblem, InputError, message_of
from cqa_spark.object_store.requests import is_temporary, refusal, unanswered, without_credentials
from cqa_spark.process.disks import disk_problem
from cqa_spark.process.failures import Sign, first_sign, machine_problem, with_causes
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.internals import java_address, task_slots

_MORE_FOR_DRIVER = "increase it: --spark.driver-memory 8g, or under spark-submit.sh --driver-memory 8g before the job"
_MORE_FOR_EXECUTORS = (
    "give executors more (--executor-memory), fewer tasks at once (--executor-cores), or smaller parts of the data "
    "(--conf spark.sql.shuffle.partitions=…), all before the job's name"
)
_SEE_THE_CLUSTER = "see the logs of the cluster for the reason, then run the job again"
_SIGNS = (
    Sign(
        r"executor driver\): java\.lang\.OutOfMemoryError", "Spark's Java process ran out of memory", _MORE_FOR_DRIVER
    ),
    # 52 is the exit code of an executor that ran out of memory.
    Sign(
        r"\(TID \d+\)[\s\S]*OutOfMemoryError|exited with code 52\b",
        "an executor ran out of memory",
        _MORE_FOR_EXECUTORS,
    ),
    Sign(
        r"is bigger than spark\.driver\.maxResultSize",
        "the results of tasks are larger than the driver accepts",
        "allow more, and give the driver the memory: spark-submit.sh --conf spark.driver.maxResultSize=4g "
        "--driver-memory 8g before the job",
    ),
    Sign(
        r"exited with code 137\b|killed by YARN for exceeding|OOMKilled",
        "an executor exceeded its memory limit and was killed",
        "Python and boosted trees use memory outside Java's heap: reserve more for them, with a higher "
        "--conf spark.executor.memoryOverheadFactor=…, or take executors with more memory or fewer cores",
    ),
    Sign(
        r"XGBoostError[\s\S]*(?:tracker|[Cc]onnect)",
        "training workers could not connect to each other",
        "allow connections between executors on all ports, or set the ranker's workers to 1",
    ),
    Sign(
        r"\[SPARK-24942\]",
        "training with several workers needs all of them at once, and executors are allocated dynamically",
        "add --conf spark.dynamicAllocation.enabled=false (on YARN also --num-executors), or set the ranker's workers "
        "to 1",
    ),
    Sign(
        r"Python worker exited unexpectedly",
        "a Python worker of Spark was killed, probably because the machine ran out of memory",
        "run fewer tasks at once (--spark.master 'local[2]'; on a cluster --executor-cores), or use a machine with "
        "more memory",
    ),
    Sign(
        r"Python in worker has different version|PYTHON_VERSION_MISMATCH|Cannot run program \"[^\"]*python",
        "the workers' Python is absent or another version than the driver's",
        "install the driver's Python on the workers, or ship it: spark-submit.sh --environment (make environment)",
    ),
    Sign(
        r"All masters are unresponsive|Could not connect to \S*spark://|Master removed our application",
        "the Spark master does not answer, or has removed the application",
        _SEE_THE_CLUSTER,
    ),
    Sign(r"SparkContext was shut down|stopped SparkContext", "Spark was stopped while the job ran", _SEE_THE_CLUSTER),
    Sign(r"ExecutorLostFailure|FetchFailed", "executors were lost while the job ran", _SEE_THE_CLUSTER),
    Sign(
        r"java\.lang\.OutOfMemoryError(?!: unable to create)",
        "Spark's Java process ran out of memory",
        _MORE_FOR_DRIVER,
    ),
)
"""In order of precedence."""


def explained(error: BaseException, locations: Sequence[str] = ()) -> CqaError | None:
    """The user-facing error for an exception of Spark, or of the machine; None for a defect.

    Args:
        error: the exception of the job.
        locations: output locations of the job, such as its lake.
    """
    message = message_of(error)
    if problem := _raised_in_task(message):
        return problem
    if problem := _bucket_problem(message, [location for location in locations if is_remote(location)]):
        return problem
    if problem := disk_problem(error, [location for location in locations if not is_remote(location)]):
        return problem
    if isinstance(error, PySparkRuntimeError) and error.getErrorClass() == "JAVA_GATEWAY_EXITED":
        return EnvironmentProblem(
            "Spark's Java process ended while it started",
            "its message is above; cqa doctor tests Java, the jars and the disks",
        )
    if any(map(_is_unanswered, with_causes(error))) or _java_has_ended():
        return EnvironmentProblem(
            "Spark's Java process has ended, possibly because it ran out of memory", _MORE_FOR_DRIVER
        )
    if "[SPARK-24819]" in message:
        return EnvironmentProblem(
            "a ranker has more training workers than Spark has cores",
            f"set the ranker's workers to {task_slots() or 1}, or use more executors",
        )
    if sign := first_sign(message, _SIGNS):
        return EnvironmentProblem(sign.problem, sign.remedy)
    return machine_problem(error) or _damaged_file(message)


_RAISED_IN_TASK = r"^cqa_spark(?:\.\w+)*\.(\w+): (.*(?:\n(?!Traceback|cqa_spark\.).*)*?)\n  → (.*)$"
"""Pattern of an error for users at the end of a traceback: its class, problem and remedy."""


def _raised_in_task(message: str) -> CqaError | None:
    """The user-facing error that a task raised, from the traceback in Spark's message."""
    raised = list(re.finditer(_RAISED_IN_TASK, message, re.MULTILINE))
    classes = {error.__name__: error for error in _subclasses(CqaError)}
    if not raised or raised[-1][1] not in classes:
        return None
    return classes[raised[-1][1]](raised[-1][2], raised[-1][3])


def _subclasses(base: type[CqaError]) -> Iterator[type[CqaError]]:
    for error in base.__subclasses__():
        yield error
        yield from _subclasses(error)


_NO_ANSWER = (
    r"Unable to execute HTTP request: [^\n]+",
    r"AWSNoResponseException|AWSClientIOException|SdkClientException",
)


def _bucket_problem(message: str, locations: Sequence[str]) -> EnvironmentProblem | None:
    """The error for a message of S3A about a bucket that is full, refuses or does not answer; None for other messages.

    Args:
        message: of an exception of Java.
        locations: output locations of the job in buckets.
    """
    location = "object storage"
    if address := re.search(r"s3a://[^\s:,'\"`]+", message):
        location = address[0].rstrip(".")
    elif (copy := re.search(r"copyFile\([^,]+, ([^)]+)\)", message)) and locations:
        # The message of a copy has the keys without their bucket.
        location = f"s3a://{locations[0].removeprefix('s3a://').partition('/')[0]}/{copy[1]}"
    if response := re.search(r"Status Code: (\d+); Error Code: ([^;]+);", message):
        status, code = int(response[1]), response[2].removeprefix(f"{response[1]} ")
        if is_temporary(status, code):
            return unanswered(location, f"{status} {code}")
        return refusal(location, status, code)
    if "UnknownStoreException" in message:
        return refusal(location, 404, "NoSuchBucket")
    if re.search(r"NoAuthWithAWSException|No AWS Credentials provided|Unable to load (?:AWS )?credentials", message):
        return without_credentials(location)
    for pattern in _NO_ANSWER:
        if reason := re.search(pattern, message):
            return unanswered(location, reason[0])
    return None


def _is_unanswered(error: BaseException) -> bool:
    """Whether Java did not respond; its responses are a ``Py4JJavaError``, or a ``Py4JError`` with its trace."""
    if isinstance(error, Py4JNetworkError | ConnectionRefusedError):
        return True
    try:
        message = str(error)
    except (Py4JError, OSError):  # the message is read from Java, too
        return True
    return (
        type(error) is Py4JError and re.fullmatch(r"An error occurred while calling \S+", message.strip()) is not None
    )


_PATIENCE = 5
"""Seconds within which Java accepts a connection."""


def _java_has_ended() -> bool:
    """Whether the Java process of this process has ended, so that nothing accepts connections at its port."""
    address = java_address()
    if address is None:
        return False
    try:
        socket.create_connection(address, timeout=_PATIENCE).close()
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    return False


_DAMAGED = (
    r"[Ee]rror while reading file (\S+?)\.?(?:\s|$)",
    r"Could not read footer for file: ?(?:FileStatus\{path=)?(\S+?)(?:[;,}]|\.?(?:\s|$))",
    r"(\S+) is not a Parquet file",
    r"Checksum error: (\S+) at \d+",
    r"File (\S+) does not exist",
    r"Path does not exist: (\S+?)\.?(?:\s|$)",
    r"FileNotFoundException: (?:No such file or directory: )?(\S+?)(?:\s|$)",
)
"""Patterns of messages about a file that is missing or not what its name says; the group is its location."""


def _damaged_file(message: str) -> InputError | None:
    """The error for a message of Spark about a file that is missing or damaged."""
    for pattern in _DAMAGED:
        if match := re.search(pattern, message):
            path = unquote(match[1]).removeprefix("file:").replace("///", "/", 1)
            return InputError(
                f"{path} is missing or damaged",
                "restore the file, or run the job that wrote it again; --debug shows the reason",
            )
    return None
