"""The one Spark session of the tests: small, and the same settings as `cqa` on a laptop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from cqa_spark.session import spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session for all tests: starting Spark costs more than most of them."""
    session = spark_session(
        "tests",
        master="local[2]",  # two tasks at once: what only works in one shows
        partitions=2,  # more would be tasks of a row or two
        driver_memory="4g",  # what a laptop has by default; the real development set needs it
    )
    yield session
    session.stop()
