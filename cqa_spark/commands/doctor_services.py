"""The checks of ``cqa doctor`` that reach other machines: the storage of the lake, Spark and its workers, MLflow."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cqa_spark.commands.doctor import Doubt, Finding, examine
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore, delta_address, delta_options
from cqa_spark.runtime.mlflow_client import import_mlflow, without_retries
from cqa_spark.settings.sections import ObjectStorageSettings, TrackingSettings
from cqa_spark.settings.values import is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession  # which the machine may lack

USE_ANOTHER = "use a storage that honours If-None-Match and If-Match, such as Amazon S3; publishing needs both"


_LARGE = (8 << 20) + 1
"""Bytes from which boto3 uploads in parts."""


def examine_storage(store: ObjectStore, name: str, settings: ObjectStorageSettings | None = None) -> Iterator[Finding]:
    """Try every operation on one object, and a commit to a table; stop at the first failure, and clean up.

    Args:
        store: store of the lake.
        name: unique key of an object, and of the folder of a table, which are deleted at the end.
        settings: object storage settings; None for Amazon's.
    """
    steps: dict[str, Callable[[ObjectStore, str], str]] = {
        "write": _write, "read": _read, "list": _list, "create once": _create_once, "replace once": _replace_once,
        "upload in parts": _upload, "delete": _delete,
        "commit to a table": partial(_commit, settings=settings or ObjectStorageSettings()),
    }  # fmt: skip
    for what, step in steps.items():
        finding = examine(f"storage: {what}", partial(step, store, name))
        yield finding
        if finding.verdict == "failed":
            with suppress(EnvironmentProblem):  # as far as the storage allows
                store.delete_all([name, *store.keys(f"{name}/")])
            return


def _write(store: ObjectStore, name: str) -> str:
    store.put(name, b"written")
    return f"an object in {store.root}"


def _read(store: ObjectStore, name: str) -> str:
    stored = store.read(name)
    if stored is None or stored.data != b"written":
        raise EnvironmentProblem(f"{store.root} does not return an object that was just written", "use another storage")
    return "what was written"


def _list(store: ObjectStore, name: str) -> str:
    if list(store.keys(name)) != [name]:
        raise EnvironmentProblem(f"{store.root} does not list an object that was just written", "use another storage")
    return "what was written"


def _create_once(store: ObjectStore, name: str) -> str:
    store.delete(name)
    store.create(name, b"first")
    try:
        store.create(name, b"second")
    except AlreadyThere:
        return "a second writer is refused"
    raise EnvironmentProblem(f"{store.root} lets two writers create one object", USE_ANOTHER)


def _replace_once(store: ObjectStore, name: str) -> str:
    stored = store.read(name)
    assert stored is not None, "it was just created"
    store.replace(name, b"third", stored.version)
    try:
        store.replace(name, b"fourth", stored.version)
    except Changed:
        return "a writer with an old version is refused"
    raise EnvironmentProblem(f"{store.root} lets a writer replace a version that it has not read", USE_ANOTHER)


def _upload(store: ObjectStore, name: str) -> str:
    with tempfile.NamedTemporaryFile(prefix="cqa-doctor-") as file:
        file.truncate(_LARGE)
        store.upload(Path(file.name), name)
    if store.sizes(name) != {name: _LARGE}:
        raise EnvironmentProblem(f"{store.root} does not list a large object with its size", "use another storage")
    return f"{_LARGE:,} bytes"


def _commit(store: ObjectStore, name: str, settings: ObjectStorageSettings) -> str:
    from deltalake import CommitProperties, DeltaTable, Field, Schema, Transaction
    from deltalake.exceptions import CommitFailedError, DeltaError
    from deltalake.schema import PrimitiveType
    from deltalake.transaction import create_table_with_add_actions

    folder = f"{store.root}/{name}"
    address, options = os.path.abspath(folder), delta_options(folder, settings)
    schema = Schema([Field("row", PrimitiveType("integer"))])
    try:
        if is_remote(folder):
            address = delta_address(folder)
        else:
            Path(address).mkdir(parents=True)
        create_table_with_add_actions(address, schema, [], storage_options=options)
        first, second = (DeltaTable(address, storage_options=options) for _ in range(2))
        once = CommitProperties(app_transactions=[Transaction(name, 1)], max_commit_retries=0)
        first.create_write_transaction([], "append", schema, commit_properties=once)
        try:
            second.create_write_transaction([], "append", schema, commit_properties=once)
        except CommitFailedError:
            return "a second writer of a version is refused"
        raise EnvironmentProblem(f"{store.root} lets two writers commit one version of a table", USE_ANOTHER)
    except (DeltaError, OSError) as error:  # of which deltalake does not try all again
        reason = " ".join(str(error).split())
        raise EnvironmentProblem(
            f"{folder}: {reason}", "check the network and the credentials' rights, and try again"
        ) from error
    finally:
        store.delete_all(store.sizes(f"{name}/"))


def _delete(store: ObjectStore, name: str) -> str:
    store.delete(name)
    if store.read(name) is not None:
        raise EnvironmentProblem(f"{store.root} keeps deleted objects", "use another storage")
    return "nothing is left"


def examine_tracking(settings: TrackingSettings) -> Iterator[Finding]:
    """Look up the experiment in MLflow; without MLflow, runs succeed but are not logged."""
    if settings.enabled:
        yield examine("MLflow", lambda: _look_up(settings))


def _look_up(settings: TrackingSettings) -> str:
    try:
        mlflow = import_mlflow()
    except EnvironmentProblem as error:
        raise Doubt(error.problem, f"{error.remedy}; until then, runs are not logged") from error
    file = settings.sqlite_file
    if file is not None and not file.exists():
        _require_writable(file)
        return f"{settings.uri}: the first run creates the file"  # MLflow would create it when asked
    try:
        with without_retries():
            there = mlflow.MlflowClient(settings.uri).get_experiment_by_name(settings.experiment)
    except Exception as error:  # any error of a tracking client is only a warning, as in a run
        raise Doubt(
            f"{settings.uri}: {str(error).splitlines()[0]}",
            "start the server, correct tracking.uri, or set tracking.enabled to false; until then, runs are not logged",
        ) from error
    return f"{settings.uri}: experiment {settings.experiment}{'' if there else ', which the first run creates'}"


def _require_writable(file: Path) -> None:
    """Check that the file can be created, without doing so.

    Raises:
        Doubt: the nearest existing folder above it cannot be written.
    """
    above = next(folder for folder in file.absolute().parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise Doubt(f"{file} cannot be created in {above}", "correct tracking.uri; until then, runs are not logged")


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
    from cqa_spark.lake.reading import read_parquet  # these need PySpark, which the machine may lack
    from cqa_spark.lake.writing import write_plain_files

    try:
        numbers = spark.range(10)
        files = write_plain_files(numbers, folder, storage)
        sizes = open_store(folder, storage).sizes()
        found = read_parquet(spark, numbers.schema, {f"{folder}/{file}": sizes[file] for file in files}, storage)
        rows = found.count()
    finally:
        store = open_store(folder, storage)
        store.delete_all(store.sizes())
    if rows != 10:
        raise EnvironmentProblem(
            f"{rows} of 10 rows were read back", "give driver and workers access to the same storage"
        )
    return "written and read by the workers"
