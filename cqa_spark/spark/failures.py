"""Failures of Spark that a user can do something about: which they are, and what helps."""

from __future__ import annotations

import re

from py4j.protocol import Py4JNetworkError

from cqa_spark.errors import EnvironmentProblem

_MORE_FOR_DRIVER = "give it more: --spark.driver-memory 8g, or under spark-submit.sh --driver-memory 8g before the job"
_MORE_FOR_EXECUTORS = (
    "give executors more (--executor-memory), fewer tasks at once (--executor-cores), or smaller parts of the data "
    "(--conf spark.sql.shuffle.partitions=…), all before the job's name"
)
_SIGNS = (
    (r"executor driver\): java\.lang\.OutOfMemoryError", "Spark's Java process ran out of memory", _MORE_FOR_DRIVER),
    # 52 is what an executor ends itself with that has no memory left.
    (
        r"\(TID \d+\)[\s\S]*OutOfMemoryError|exited with code 52\b",
        "an executor ran out of memory",
        _MORE_FOR_EXECUTORS,
    ),
    (
        r"exited with code 137\b|killed by YARN for exceeding|OOMKilled",
        "an executor took more memory than the cluster gives it, and was killed",
        "Python and boosted trees work beside Java's heap: leave more for them, with a higher "
        "--conf spark.executor.memoryOverheadFactor=…, or take executors with more memory or fewer cores",
    ),
    (r"java\.lang\.OutOfMemoryError", "Spark's Java process ran out of memory", _MORE_FOR_DRIVER),
)
"""What a message says, in order; what has happened; what helps."""


def explained(error: BaseException) -> EnvironmentProblem | None:
    """What an exception from Spark means for a user; None where we do not know.

    Args:
        error: what a job ended with.
    """
    if isinstance(error, Py4JNetworkError | ConnectionRefusedError):
        return EnvironmentProblem("Spark's Java process has ended, as it does without memory", _MORE_FOR_DRIVER)
    message = str(error)
    for sign, problem, remedy in _SIGNS:
        if re.search(sign, message):
            return EnvironmentProblem(problem, remedy)
    return None
