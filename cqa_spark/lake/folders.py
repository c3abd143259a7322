"""Folders of a lake other than its tables, on any storage of Spark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cqa_spark.lake.storage import Lake

MODELS = "models"
"""Folder with a subfolder per run and attempt."""


def remove_folder(lake: Lake, *parts: str) -> None:
    """Remove a folder of the lake with its contents, if it exists."""
    spark: Any = lake.spark
    location = spark._jvm.org.apache.hadoop.fs.Path(lake.path(*parts))
    location.getFileSystem(spark._jsc.hadoopConfiguration()).delete(location, True)


def remove_files(lake: Lake, keys: Iterable[str]) -> None:
    """Remove files of the lake, with their checksums if they have any.

    Args:
        lake: the lake.
        keys: paths below its root.
    """
    spark: Any = lake.spark
    path = spark._jvm.org.apache.hadoop.fs.Path
    storage = path(lake.root).getFileSystem(spark._jsc.hadoopConfiguration())
    for key in keys:
        storage.delete(path(lake.path(key)), False)
