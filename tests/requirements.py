"""What some tests need and a machine may lack: they are skipped there, and fail in continuous integration."""

import os
from typing import NoReturn

import pytest

KINDS = ("s3", "gcs", "azure", "hadoop", "data", "small_disk", "postgres", "sqlite")
"""Servers of S3, Google's and Azure's storage, HDFS and YARN; the public research data; a disk that fills up; a server
of Postgres and its JDBC driver; that of SQLite."""


def lacking(kind: str, reason: str) -> NoReturn:
    """Skip the test, or fail if ``CQA_REQUIRE`` names this kind; it holds kinds, separated by blanks."""
    assert kind in KINDS
    required = os.environ.get("CQA_REQUIRE", "").split()
    assert {*required} <= {*KINDS}, f"CQA_REQUIRE holds some of: {' '.join(KINDS)}"
    if kind in required:
        pytest.fail(f"{reason} (CQA_REQUIRE)", pytrace=False)
    pytest.skip(reason)
