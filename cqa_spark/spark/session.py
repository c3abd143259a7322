"""Builds the SparkSession; its settings are in `conf/spark/`."""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from pyspark import SparkConf
from pyspark.sql import SparkSession

from cqa_spark.object_store.store import OBJECT_STORES
from cqa_spark.process.disks import require_scratch, scratch_folders
from cqa_spark.process.signals import java_starts
from cqa_spark.settings.conf_files import drivers_folder, project_root
from cqa_spark.settings.sections import JobSettings, ObjectStorageSettings
from cqa_spark.spark import has_shortcuts
from cqa_spark.spark.class_archive import archive_options
from cqa_spark.spark.internals import (
    connect_to_java,
    import_from_wheels,
    java_address,
    keep_java_classes,
    set_hadoop_options,
)
from cqa_spark.spark.jars import check_java, installed_jars, leave_other_spark_aside
from cqa_spark.spark.python_daemon import MORE_IMPORTS

_OFTEN_NAMED = (
    "Column",
    "PythonUtils",
    "SimplePythonFunction",
    "SparkSession",
    "SparkSession$",
    "functions",
    "org.apache.commons.io.IOUtils",
    "org.apache.commons.io.input.BoundedInputStream",
    "org.apache.hadoop.fs.Path",
    "org.apache.hadoop.io.compress.CompressionCodecFactory",
    "org.apache.spark.sql.catalyst.expressions.UnresolvedNamedLambdaVariable",
    "org.apache.spark.sql.execution.python.UserDefinedPythonFunction",
    "org.apache.spark.sql.expressions.Window",
    "org.apache.spark.sql.types.Metadata",
    "org.apache.spark.sql.types.StructType",
    "org.apache.spark.storage.StorageLevel",
)
"""Java classes that PySpark and this package name at nearly every use of a table or a column."""

_FEW_ROWS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # An adaptive query runs each of its stages as a separate job, and each table that is broadcast is a job, too.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}
_FEW_ROWS_IN_JAVA = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
"""Disables the second compiler, which costs more time than it saves here; without it, Java's default cache would be 48
MB."""

_KEPT = frozenset({*_FEW_ROWS, "spark.default.parallelism"})
"""Settings of an active session that a job leaves as they are unless it names others."""


def spark_session(
    app_name: str,
    *,
    master: str | None = None,
    partitions: int | None = None,
    driver_memory: str | None = None,
    compile_plans: bool = True,
    task_imports: Iterable[str] = (),
    object_storage: ObjectStorageSettings | None = None,
) -> SparkSession:
    """Start Spark, or return the active session.

    Under spark-submit, the settings come from the command; otherwise from `conf/spark/common.conf` and `local.conf`,
    and the installed PySpark starts, whatever other Spark the environment names. An active session keeps its partitions
    and its way to run plans, unless the arguments name others. A value that the user gave to spark-submit or to the
    active session is also that of small inputs.

    Args:
        app_name: name of the application.
        master: Spark master URL; None for the configured one.
        partitions: shuffle partitions; None for the configured number.
        driver_memory: heap of the driver, such as ``"4g"``; None for the configured one.
        compile_plans: whether Spark generates code for plans and executes them adaptively, and Java optimizes compiled
            code; on a few hundred rows this takes most of the time.
        task_imports: slow modules that tasks import, which in local mode are imported once for all workers.
        object_storage: object storage settings; None for Amazon's. They are also set on an active session.

    Raises:
        EnvironmentProblem: no Java, an unsupported version of Java, no jars, or no space for Spark's scratch files.
    """
    active = SparkSession.getActiveSession()
    if active is None and not _under_spark_submit():
        check_java()
        leave_other_spark_aside(is_local=is_local_master(master))
        os.environ[MORE_IMPORTS] = " ".join(sorted(task_imports))
    settings = {} if _under_spark_submit() else _own_settings(master, () if compile_plans else _FEW_ROWS_IN_JAVA)
    started_with = _started_with(active)
    if active is not None:
        settings |= {name: started_with[name] for name in _KEPT & started_with.keys()}
    if not compile_plans:
        settings |= _for_few_rows(started_with)
    if master:
        settings["spark.master"] = re.sub(r"^local\[(\d+|\*)\]$", r"local[\1, 3]", master)  # as in local.conf
    if partitions:
        settings["spark.sql.shuffle.partitions"] = settings["spark.default.parallelism"] = str(partitions)
    if driver_memory:
        settings["spark.driver.memory"] = driver_memory
    import_from_wheels()  # which hold plug-ins
    builder = SparkSession.builder.appName(app_name)
    for name, value in settings.items():
        builder = builder.config(name, value)
    with java_starts(lambda: java_address() is not None):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    keep_java_classes(session, _OFTEN_NAMED)
    # Paths without a scheme are those of this machine, as for Python, also where a cluster's own files are the default.
    set_hadoop_options(session, [("fs.defaultFS", "file:///")])
    for storage in OBJECT_STORES.load_all().values():
        set_hadoop_options(session, storage().hadoop_options(object_storage or ObjectStorageSettings()).items())
    return session


def session_of(settings: JobSettings, *, compile_plans: bool = True, task_imports: Iterable[str] = ()) -> SparkSession:
    """Start Spark with a job's settings, or return the active session.

    Args:
        settings: of the job.
        compile_plans: as for ``spark_session``, unless the settings decide it.
        task_imports: as for ``spark_session``.
    """
    if settings.spark.compile_plans is not None:
        compile_plans = settings.spark.compile_plans
    return spark_session(
        "cqa-spark",
        master=settings.spark.master,
        partitions=settings.spark.partitions,
        driver_memory=settings.spark.driver_memory,
        compile_plans=compile_plans,
        task_imports=task_imports,
        object_storage=settings.object_storage,
    )


def start_in_cluster() -> None:
    """Start Spark at once where YARN runs the driver, whatever the job; nothing elsewhere.

    YARN takes a driver that succeeds without Spark, as a night in which nothing has changed, for a failed one, and one
    that starts Spark late, such as after waiting for the lease, for a lost one.
    """
    if _under_spark_submit():
        connect_to_java()
        settings = SparkConf()
        if (settings.get("spark.master"), settings.get("spark.submit.deployMode")) == ("yarn", "cluster"):
            spark_session("cqa-spark")


def is_local_master(master: str | None = None) -> bool:
    """Whether executors run in the driver's process.

    Args:
        master: Spark master URL; None for the configured one.
    """
    if master is None and _under_spark_submit():
        connect_to_java()
        master = SparkConf().get("spark.master")
    return master is None or master.startswith("local")


def executors_come_and_go() -> bool:
    """Whether Spark allocates executors dynamically: by the options of spark-submit, or in the active session."""
    settings = _started_with(SparkSession.getActiveSession())
    return settings.get("spark.dynamicAllocation.enabled", "").lower() == "true"


def local_scratch_folders(master: str | None = None) -> list[str]:
    """The folders of this machine for shuffle and spill files; none on a cluster, whose machines have their own.

    Args:
        master: Spark master URL; None for the configured one.
    """
    if not is_local_master(master):
        return []
    configured = SparkConf().get("spark.local.dir", None) if _under_spark_submit() else None
    return scratch_folders(configured or _configured().get("spark.local.dir"))


def read_settings(path: Path) -> dict[str, str]:
    """Read a Spark properties file: a name, white space, a value; `#` starts a comment line.

    Args:
        path: such as `conf/spark/common.conf`.
    """
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    pairs = (line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    return {name: value for name, value in pairs}


def _under_spark_submit() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _configured() -> dict[str, str]:
    folder = project_root() / "conf/spark"
    return read_settings(folder / "common.conf") | read_settings(folder / "local.conf")


def _started_with(active: SparkSession | None) -> dict[str, str]:
    """The settings of the active session, or those that spark-submit has read; none before Spark starts."""
    if active is not None:
        return dict(active.sparkContext.getConf().getAll())
    if not _under_spark_submit():
        return {}
    connect_to_java()
    return dict(SparkConf().getAll())


def _for_few_rows(started_with: Mapping[str, str]) -> dict[str, str]:
    """What suits a few hundred rows, except for settings that the user gave another value than `conf/spark/`."""
    ours = _configured()
    of_clusters = read_settings(project_root() / "conf/spark/cluster.conf")
    return {
        name: value
        for name, value in _FEW_ROWS.items()
        if started_with.get(name) in (None, ours.get(name), of_clusters.get(name))
    }


def _own_settings(master: str | None, java_options: tuple[str, ...]) -> dict[str, str]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else the workers start an arbitrary python3
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # else Spark looks up the host's name, and warns
    home = project_root()
    jars = [str(jar) for jar in installed_jars()]
    settings = _configured()
    for folder in scratch_folders(settings.get("spark.local.dir")):
        require_scratch(folder)
    log4j = (home / "conf/spark/log4j2.properties").as_uri()
    options = [f"-Dlog4j2.configurationFile={log4j}", *archive_options(), *java_options]
    settings["spark.driver.extraJavaOptions"] = shlex.join(options)  # the folder's name may contain blanks
    settings["spark.driver.extraClassPath"] = os.pathsep.join(jars)
    # Behind the class path of the driver, which has to stay that of the archive of Java's classes.
    drivers = [str(jar) for jar in sorted(drivers_folder().glob("*.jar"))]
    is_remote_master = master is not None and not master.startswith("local")
    if to_add := [*(jars if is_remote_master else ()), *drivers]:
        settings["spark.jars"] = ",".join(to_add)
    if not is_remote_master and has_shortcuts():
        # Modules are imported once for all workers, from folders. On a cluster, this package may be in a file that
        # workers receive only after the start of the daemon; each then shortens its tasks itself (`task_start.py`).
        settings["spark.python.daemon.module"] = "cqa_spark.spark.python_daemon"
    return settings
