"""Recognizes failures of Spark that a user can fix, and gives remedies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkRuntimeError

from cqa_spark.config.value_types import is_remote
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.refusals import FULL, MAKE_SPACE, REMEDIES, is_full
from cqa_spark.process.disk_failures import disk_problem

_MORE_FOR_DRIVER = "increase it: --spark.driver-memory 8g, or under spark-submit.sh --driver-memory 8g before the job"
_MORE_FOR_EXECUTORS = (
    "give executors more (--executor-memory), fewer tasks at once (--executor-cores), or smaller parts of the data "
    "(--conf spark.sql.shuffle.partitions=…), all before the job's name"
)
_SIGNS = (
    (r"executor driver\): java\.lang\.OutOfMemoryError", "Spark's Java process ran out of memory", _MORE_FOR_DRIVER),
    # 52 is the exit code of an executor that ran out of memory.
    (
        r"\(TID \d+\)[\s\S]*OutOfMemoryError|exited with code 52\b",
        "an executor ran out of memory",
        _MORE_FOR_EXECUTORS,
    ),
    (
        r"exited with code 137\b|killed by YARN for exceeding|OOMKilled",
        "an executor exceeded its memory limit and was killed",
        "Python and boosted trees use memory outside Java's heap: reserve more for them, with a higher "
        "--conf spark.executor.memoryOverheadFactor=…, or take executors with more memory or fewer cores",
    ),
    (
        r"\[SPARK-24819\]",
        "a ranker has more training workers than Spark has cores",
        "set the ranker's workers to at most the number of executor cores, or use more executors",
    ),
    (
        r"\[SPARK-24942\]",
        "training with several workers needs all of them at once, and executors are allocated dynamically",
        "add --conf spark.dynamicAllocation.enabled=false, or set the ranker's workers to 1",
    ),
    (r"java\.lang\.OutOfMemoryError", "Spark's Java process ran out of memory", _MORE_FOR_DRIVER),
)
"""Pattern of the message, problem and remedy, in order of precedence."""


def explained(error: BaseException, locations: Sequence[str] = ()) -> EnvironmentProblem | None:
    """The user-facing error for an exception from Spark; None if it is not recognized.

    Args:
        error: the exception of the job.
        locations: output locations of the job, such as its lake.
    """
    message = str(error)
    if problem := _bucket_problem(message, [each for each in locations if is_remote(each)]):
        return problem
    if problem := disk_problem(error, [each for each in locations if not is_remote(each)]):
        return problem
    if _has_lost_java(error):
        return EnvironmentProblem(
            "Spark's Java process has ended, possibly because it ran out of memory", _MORE_FOR_DRIVER
        )
    if isinstance(error, PySparkRuntimeError) and error.getErrorClass() == "JAVA_GATEWAY_EXITED":
        return EnvironmentProblem(
            "Spark's Java process ended while it started",
            "its message is above; cqa doctor tests Java, the jars and the disks",
        )
    for sign, problem_found, remedy in _SIGNS:
        if re.search(sign, message):
            return EnvironmentProblem(problem_found, remedy)
    return None


def _has_lost_java(error: BaseException) -> bool:
    """Whether Java did not respond; its responses are a ``Py4JJavaError``, or a ``Py4JError`` with its trace."""
    unanswered = type(error) is Py4JError and re.fullmatch(r"An error occurred while calling \S+", str(error).strip())
    return bool(unanswered) or isinstance(error, Py4JNetworkError | ConnectionRefusedError)


def _bucket_problem(message: str, locations: Sequence[str]) -> EnvironmentProblem | None:
    """The error for S3A's message about a full or refusing bucket."""
    answer = re.search(r"Status Code: (\d+); Error Code: ([^;]+);", message)
    if answer is None:
        return None
    status, code = int(answer[1]), answer[2]
    where = _place(message, locations)
    if is_full(status, code):
        return EnvironmentProblem(f"{where}: {FULL}: {status} {code}", MAKE_SPACE)
    if code in REMEDIES:
        return EnvironmentProblem(f"{where}: the object storage refuses: {status} {code}", REMEDIES[code])
    return None


def _place(message: str, locations: Sequence[str]) -> str:
    """The location in S3A's message, which for a copy contains the keys without their bucket."""
    if place := re.search(r"s3a://[^\s:,'\"]+", message):
        return place[0].rstrip(".")
    copied = re.search(r"copyFile\([^,]+, ([^)]+)\)", message)
    if copied and locations:
        return f"s3a://{locations[0].removeprefix('s3a://').partition('/')[0]}/{copied[1]}"
    return "object storage"
