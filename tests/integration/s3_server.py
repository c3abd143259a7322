"""The S3 server of the tests: one that the environment names, or versitygw on loopback with made-up credentials.

``CQA_TEST_S3`` is the address of a server and ``CQA_TEST_S3_BUCKET`` a bucket there that the tests may write to; the
credentials are then those of the usual chain. ``CQA_REQUIRE_S3`` lets tests fail where they would be skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.object_store.opening import s3_client
from cqa_spark.session import s3a_settings

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = "127.0.0.1"
ACCESS_KEY, SECRET_KEY = "cqa-tests-made-up", "MadeUp+Secret/OfTheTests0123456789abcdef"
PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class S3Server:
    """A running server.

    Attributes:
        settings: how it is reached.
        bucket: bucket to write to.
        run: what tells this run of the tests apart from others.
    """

    settings: ObjectStorageSettings
    bucket: str
    run: str

    def location(self, *parts: str) -> str:
        """An address that only this run of the tests uses."""
        return "/".join([f"s3a://{self.bucket}/{self.run}", *parts])

    @property
    def flags(self) -> list[str]:
        """The settings, for a command line."""
        tls = [] if self.settings.tls else ["--no-object-storage.tls"]
        path_style = ["--object-storage.path-style"] if self.settings.path_style else []
        region = ["--object-storage.region", self.settings.region]
        return ["--object-storage.endpoint", str(self.settings.endpoint), *region, *tls, *path_style]


def reach(spark: SparkSession, server: S3Server) -> None:
    """Tell a running session about the server, as a job with its settings does; what it knew before is forgotten."""
    hadoop, jvm = spark.sparkContext._jsc.hadoopConfiguration(), spark._jvm
    for name, value in s3a_settings(server.settings).items():
        hadoop.set(name, value)
    # Hadoop keeps a client for each bucket, with the address that it was made for.
    jvm.org.apache.hadoop.fs.FileSystem.get(jvm.java.net.URI(f"s3a://{server.bucket}"), hadoop).close()


def make_up_credentials() -> None:
    """Give this process credentials for versitygw, unless another server is named; Java has them if it starts later."""
    if "CQA_TEST_S3" not in os.environ:
        os.environ |= {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """The server for as long as the block lasts; the test is skipped where there is none.

    Args:
        folder: where versitygw keeps its objects and its log.
    """
    endpoint = os.environ.get("CQA_TEST_S3")
    if endpoint:
        tls = endpoint.startswith("https:")
        region = os.environ.get("AWS_REGION", "us-east-1")
        settings = ObjectStorageSettings(endpoint=endpoint, region=region, path_style=True, tls=tls)
        yield S3Server(settings, os.environ["CQA_TEST_S3_BUCKET"], f"cqa-tests-{uuid4().hex}")
        return
    with _versitygw(folder) as settings:
        s3_client(settings).create_bucket(Bucket="cqa-tests")
        yield S3Server(settings, "cqa-tests", "run")


@contextmanager
def _versitygw(folder: Path) -> Iterator[ObjectStorageSettings]:
    program = REPOSITORY / ".tools" / f"versitygw-{_pinned_version()}"
    if not program.exists():
        go = "run `make versitygw`" if shutil.which("go") else "it needs Go"
        refuse = pytest.fail if os.environ.get("CQA_REQUIRE_S3") else pytest.skip
        refuse(f"no S3 server: there is no {program.relative_to(REPOSITORY)} ({go}), and CQA_TEST_S3 is not set")
    for name in ("data", "sidecar"):
        (folder / name).mkdir()
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        port = probe.getsockname()[1]
    command = [program, "--port", f"{HERE}:{port}", "--keep-alive", "posix"]
    command += ["--sidecar", folder / "sidecar", folder / "data"]
    secrets = {"ROOT_ACCESS_KEY_ID": ACCESS_KEY, "ROOT_SECRET_ACCESS_KEY": SECRET_KEY}
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(command, env=os.environ | secrets, stdout=log, stderr=subprocess.STDOUT)
    try:
        settings = ObjectStorageSettings(endpoint=f"http://{HERE}:{port}", path_style=True, tls=False, timeout=20)
        _wait_for(str(settings.endpoint), running)
        yield settings
    finally:
        running.terminate()
        running.wait()


def _pinned_version() -> str:
    found = re.search(r"^VERSITYGW := (\S+)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def _wait_for(endpoint: str, running: subprocess.Popen[bytes]) -> None:
    """Wait until the server refuses us, which is an answer."""
    for _ in range(PATIENCE_SECONDS * 10):
        try:
            urlopen(endpoint, timeout=1)
        except HTTPError:
            return
        except (URLError, OSError):
            assert running.poll() is None, "versitygw ended at once"
            time.sleep(0.1)
    raise AssertionError(f"versitygw does not answer at {endpoint}")
