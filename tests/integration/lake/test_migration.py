"""A lake that the last release wrote (see ``README.md`` beside it) becomes one of this release."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake import migration
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.leased import take_over
from cqa_spark.lake.migration import migrate_tables
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.lake.storage import Lake
from cqa_spark.object_store.folder import Folder

ARCHIVE = Path(__file__).with_name("last_release.tar.gz")


@pytest.fixture
def old(spark: SparkSession, tmp_path: Path) -> Lake:
    """A lake as the last release left it."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return Lake(spark, str(tmp_path / "lake"))
