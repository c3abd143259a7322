"""Checks Spark: the master, the Python version of its workers, and their access to the lake."""

import socket
import sys
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from cqa_spark.doctor.finding import Finding, examine
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.locations import open_store
from cqa_spark.settings.sections import ObjectStorageSettings

PATIENCE_SECONDS = 10


def examine_cluster(
    master: str | None,
    start: Callable[[], SparkSession],
    trial_table: str | None,
    storage: ObjectStorageSettings,
) -> Iterator[Finding]:
    """Start Spark, and run a job on its workers.

    Args:
        master: its URL; None for the configured one.
        start: starts Spark.
        trial_table: unique folder for a table that is deleted at the end; None to skip this check.
        storage: object storage settings.
    """
    if master and master.startswith("spark://"):
        reached = examine("Spark master", lambda: reach(master))
        yield reached
        if reached.verdict == "failed":
            return
    sessions: list[SparkSession] = []
    yield examine("Spark", lambda: _start(start, sessions))
    if sessions:
        yield examine("Python of the workers", lambda: _python_of_workers(sessions[0]))
        if trial_table is not None:
            yield examine("tables in the lake", lambda: _table(sessions[0], trial_table, storage))


def reach(master: str) -> str:
    """Connect to a standalone master with a short timeout; Spark itself would wait for minutes.

    Args:
        master: ``spark://HOST:PORT``, or several ``HOST:PORT``, separated by commas.
    """
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        parts = urlsplit(f"//{address}")
        try:
            socket.create_connection((parts.hostname or "", parts.port or 7077), PATIENCE_SECONDS).close()
        except OSError as error:
            reasons.append(f"{address}: {error.strerror or error}")
        else:
            return address
    raise EnvironmentProblem(
        f"no Spark master answers: {'; '.join(reasons)}",
        "start the master, or correct spark.master (spark://HOST:7077)",
    )


def _start(start: Callable[[], SparkSession], sessions: list[SparkSession]) -> str:
    spark = start()
    sessions.append(spark)
    spark.range(100).count()
    context = spark.sparkContext
    return f"Spark {spark.version} on {context.master}, {context.defaultParallelism} tasks at once"


def _python_of_workers(spark: SparkSession) -> str:
    versions = spark.sparkContext.parallelize(range(2), 2).map(lambda _: tuple(sys.version_info[:2])).distinct()
    rows = versions.collect()
    if rows != [tuple(sys.version_info[:2])]:
        raise EnvironmentProblem(f"the workers run Python {rows}", "set PYSPARK_PYTHON, or ship --environment")
    return "the driver's"


def _table(spark: SparkSession, folder: str, storage: ObjectStorageSettings) -> str:
    try:
        spark.range(10).write.parquet(folder)
        rows = spark.read.parquet(folder).count()
    finally:
        store = open_store(folder, storage)
        store.delete_all(store.sizes())
    if rows != 10:
        raise EnvironmentProblem(
            f"{rows} of 10 rows were read back", "give driver and workers access to the same storage"
        )
    return "written and read by the workers"
