"""Private attributes of PySpark and Java classes of Spark that this package uses beyond the public interface.

No other module uses any, and none but this one and ``jars.py`` knows in what the lines of Spark, 3.5 and 4, differ.
Each function says what the public interface lacks, and ``test_internals.py`` and ``test_java_internals.py`` fail when a
version of Spark has changed what it uses.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypeVar, cast

import pyarrow as pa
import pyspark
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext, inheritable_thread_target
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from pyspark.sql.pandas import types as arrow_types

from cqa_spark.spark import has_shortcuts

LINE = "3.5" if pyspark.__version__.startswith("3.") else "4"
"""The line of the installed PySpark: Scala 2.12 and Hadoop 3.3, or Scala 2.13 and Hadoop 3.4 and later."""

# Spark 4 keeps the wall clock of a session's time zone unless it is told one; 3.5 knows UTC only.
_IN_UTC = {"timezone": "UTC"} if "timezone" in signature(arrow_types.to_arrow_schema).parameters else {}


def to_arrow_schema(schema: T.StructType) -> pa.Schema:
    """The Arrow schema of rows that Spark gives to Python and takes from it; timestamps are in UTC."""
    return arrow_types.to_arrow_schema(schema, **_IN_UTC)


def active_context() -> SparkContext | None:
    """The running context; None if Spark does not run. The public method would start it."""
    return SparkContext._active_spark_context


Function = TypeVar("Function", bound=Callable[..., Any])


def in_another_thread(function: Function) -> Function:
    """The function, with the Spark properties of this thread in the one that calls it; Spark 4 asks for the session."""
    wrap: Any = inheritable_thread_target  # its types are those of 3.5
    session = SparkSession.getActiveSession() if LINE == "4" else None
    return cast(Function, wrap(function) if session is None else wrap(session)(function))


def connect_to_java() -> None:
    """Connect to the Java process that spark-submit has started, whose settings ``SparkConf`` then reads."""
    SparkContext._ensure_initialized()


def java_address() -> tuple[str, int] | None:
    """The address and port at which Java listens; None if it was not started. PySpark does not say whether it lives."""
    gateway = SparkContext._gateway
    if gateway is None:
        return None
    return gateway.gateway_parameters.address, gateway.gateway_parameters.port


def import_from_wheels() -> None:
    """Let workers import from the wheels of --py-files, which are zip files; Spark knows other suffixes only."""
    SparkContext.PACKAGE_EXTENSIONS = (".zip", ".egg", ".jar", ".whl")


def set_hadoop_options(session: SparkSession, options: Iterable[tuple[str, str]]) -> None:
    """Set options of Hadoop in a session that runs; public settings reach it at its start only."""
    hadoop: Any = session.sparkContext._jsc.hadoopConfiguration()
    for name, value in options:
        hadoop.set(name, value)


def java_reads(session: SparkSession, address: str) -> bool:
    """Whether Java has a file system for an address such as ``s3a://BUCKET/…``; the public interface does not tell."""
    jvm: Any = session._jvm
    hadoop: Any = session.sparkContext._jsc.hadoopConfiguration()
    try:
        jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass(address.partition("://")[0], hadoop)
    except Py4JJavaError:  # its class is not on the class path
        return False
    return True


def keep_java_classes(session: SparkSession, names: Iterable[str]) -> None:
    """Keep Py4J's objects for Java classes and the packages around them.

    Py4J creates one at every use, and Java then searches all packages and jars for a class of its name.

    Measured: Java takes 0.24 instead of 0.7 CPU ms for an expression such as ``F.col("a") + F.lit(1)``, of which a job
    has thousands. ``CQA_PLAIN_SPARK=1`` switches it off.

    Args:
        session: the session.
        names: with their packages, unless Spark imports them into Py4J's view.
    """
    for name in names if has_shortcuts() else ():
        parent: Any = session._jvm
        for part in name.split("."):
            child = getattr(parent, part)
            setattr(parent, part, child)
            parent = child


def has_java_class(session: SparkSession, name: str) -> bool:
    """Whether Spark finds a class of Java in its own jars or in those that a user added."""
    jvm: Any = session._jvm
    try:
        jvm.org.apache.spark.util.Utils.classForName(name, True, True)
    except Py4JJavaError:
        return False
    return True


def scan_of(frame: DataFrame) -> DataFrame:
    """The rows of a persisted DataFrame, with a plan that only scans them.

    Spark analyses the whole plan of a DataFrame at each operation on it, including the part that is persisted, which it
    replaces by a scan only when a query runs. On a small corpus, this takes most of the time of a step that derives
    many DataFrames.

    Measured: a night of a small site takes two thirds of the time. ``CQA_PLAIN_SPARK=1`` switches it off.

    Args:
        frame: a persisted DataFrame. To release the rows, unpersist this one, not its scan.
    """
    if not has_shortcuts():
        return frame
    spark = frame.sparkSession
    jvm: Any = spark._jvm
    sql = jvm.org.apache.spark.sql
    of_rows, session = (sql.Dataset if LINE == "3.5" else sql.classic.Dataset).ofRows, spark._jsparkSession
    relation = of_rows(session, frame._jdf.logicalPlan()).queryExecution().withCachedData()
    # Without the order of the rows, which would keep the ids of the columns when a join of the scan with itself gives
    # one side new ones; the physical scan knows it.
    scan = relation.copy(relation.output(), relation.cacheBuilder(), jvm.PythonUtils.toSeq([]))
    getattr(scan, "statsOfPlanToCache_$eq")(relation.statsOfPlanToCache())
    return DataFrame(of_rows(session, scan), spark)


def estimated_bytes(frame: DataFrame) -> int:
    """Spark's estimate of the size of the rows, from files and persisted columns; joins give far too high ones."""
    plan: Any = frame._jdf.queryExecution().optimizedPlan()
    return int(plan.stats().sizeInBytes())


def task_slots() -> int:
    """How many tasks the executors run at once, which the public interface does not tell; 0 if Spark does not run."""
    context = SparkContext._active_spark_context
    if context is None:
        return 0
    java: Any = context._jsc.sc()
    return int(java.maxNumConcurrentTasks(java.resourceProfileManager().defaultResourceProfile()))


@dataclass(frozen=True)
class RunningStage:
    """A running stage.

    Attributes:
        stage_id: its id.
        tasks: number of its tasks.
        done: number of tasks that have ended.
        rows: records that the tasks have read, from files and from earlier stages.
        bytes: bytes that the tasks have read.
    """

    stage_id: int
    tasks: int
    done: int
    rows: int
    bytes: int


def running_stages(session: SparkSession) -> list[RunningStage]:
    """The running stages, from the driver's status store: the public status tracker does not count rows and bytes."""
    stages = session.sparkContext._jsc.sc().statusStore().activeStages()
    return [
        RunningStage(
            stage.stageId(),
            stage.numTasks(),
            stage.numCompleteTasks(),
            stage.inputRecords() + stage.shuffleReadRecords(),
            stage.inputBytes() + stage.shuffleReadBytes(),
        )
        for stage in (stages.apply(index) for index in range(stages.size()))
    ]
