"""The S3 server of the tests: one that the environment names, or versitygw on loopback with made-up credentials.

``CQA_TEST_S3`` is the address of a server and ``CQA_TEST_S3_BUCKET`` a bucket there that the tests may write to; the
credentials are then those of the usual chain. ``CQA_REQUIRE=s3`` lets tests fail where they would be skipped.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession
from requirements import lacking
from versitygw import ACCESS_KEY, REPOSITORY, SECRET_KEY, create_reader, program, versitygw

from cqa_spark.object_store.s3 import S3, s3_client
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.internals import java_reads


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

    @property
    def delta_options(self) -> dict[str, str]:
        """The settings, for a reader of Delta tables; it has the credentials of this process."""
        allow_http = str(not self.settings.tls).lower()
        endpoint = {"AWS_ENDPOINT_URL": str(self.settings.endpoint), "AWS_ALLOW_HTTP": allow_http}
        return {**endpoint, "AWS_REGION": self.settings.region}


def reach(spark: SparkSession, server: S3Server) -> None:
    """Tell a running session about the server, as a job with its settings does; what it knew before is forgotten."""
    hadoop, jvm = spark.sparkContext._jsc.hadoopConfiguration(), spark._jvm
    for name, value in S3().hadoop_options(server.settings).items():
        hadoop.set(name, value)
    if not java_reads(spark, f"s3a://{server.bucket}"):
        return  # tasks read and write
    # Hadoop keeps a client for each bucket, with the address that it was made for.
    jvm.org.apache.hadoop.fs.FileSystem.get(jvm.java.net.URI(f"s3a://{server.bucket}"), hadoop).close()


@contextmanager
def reading_only(spark: SparkSession, server: S3Server) -> Iterator[None]:
    """Reach the bucket as a user who may only read it, for as long as the block lasts; skipped on servers not ours."""
    if "CQA_TEST_S3" in os.environ:
        pytest.skip("users are created on versitygw alone")
    owner = {name: os.environ[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    _sign_in(spark, server, create_reader(server.settings, server.bucket))
    try:
        yield
    finally:
        _sign_in(spark, server, owner)


def _sign_in(spark: SparkSession, server: S3Server, credentials: dict[str, str]) -> None:
    os.environ |= credentials
    s3_client.cache_clear()
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.s3a.access.key", credentials["AWS_ACCESS_KEY_ID"])
    hadoop.set("fs.s3a.secret.key", credentials["AWS_SECRET_ACCESS_KEY"])
    reach(spark, server)


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
    if not program().exists():
        go = "run `make versitygw`" if shutil.which("go") else "it needs Go"
        lacking("s3", f"no S3 server: no {program().relative_to(REPOSITORY)} ({go}), and CQA_TEST_S3 is not set")
    with versitygw(folder) as settings:
        s3_client(settings).create_bucket(Bucket="cqa-tests")
        yield S3Server(settings, "cqa-tests", "run")
