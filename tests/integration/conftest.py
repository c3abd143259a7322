"""What tests share because it is slow to start: Spark, with the settings of `cqa` on a laptop, and an S3 server."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from s3_server import S3Server, make_up_credentials, s3_server

from cqa_spark.spark.session import spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session for all tests: starting Spark costs more than most of them."""
    make_up_credentials()
    session = spark_session(
        "tests",
        master="local[2]",  # two tasks at once: what only works in one shows
        partitions=2,  # more would be tasks of a row or two
        driver_memory="4g",  # what a laptop has by default; the real development set needs it
        compile_plans=False,  # on a few dozen rows most of the time; the tests on a cluster run what is compiled
    )
    yield session
    session.stop()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 KB, which is a few small tables; tests that need one are skipped where we may not mount it."""
    folder = tmp_path / "small-disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs to mount a small disk: run as root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An S3 server; tests that need one are skipped where there is none."""
    make_up_credentials()
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server
