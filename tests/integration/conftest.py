"""What tests share because it is slow to start: Spark, with the settings of `cqa` on a laptop, and an S3 server."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from requirements import lacking
from s3_server import S3Server, make_up_credentials, s3_server

from cqa_spark.spark.session import spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session for all tests of a process: starting Spark costs more than most of them.

    CPU seconds of the start with a first job, and of a later job, which groups and joins 30 rows, passes them through
    Python, writes and reads a table:

    ========================  =====  =====
    these settings             10.2    1.7
    plans are compiled         26.3    4.1
    two shuffle partitions     11.4    2.2
    no archive of classes      19.4    2.3
    ========================  =====  =====

    ``local[1]``, a heap of 2 GB and another garbage collector change nothing measurable.
    """
    make_up_credentials()
    session = spark_session(
        "tests",
        master="local[2]",  # two steps at a time, and rankers that two tasks train
        partitions=1,  # tests of partitions make them; the tests on a cluster run a whole job in four
        driver_memory="4g",  # what a laptop has by default; the real development set needs it
        compile_plans=False,  # the tests on a cluster run what is compiled
    )
    if "COVERAGE_PROCESS_CONFIG" in os.environ:  # make coverage
        session.sparkContext.environment["PYTHONPATH"] = str(Path(__file__).parent)
        session.sparkContext._jsc.sc().conf().set("spark.python.daemon.module", "measured_daemon")
    yield session
    session.stop()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 KB, which is a few small tables; tests that need one are skipped where we may not mount it."""
    folder = tmp_path / "small-disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        lacking("small_disk", "needs to mount a small disk: run as root, or by unshare --map-root-user --mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An S3 server; tests that need one are skipped where there is none."""
    make_up_credentials()
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server
