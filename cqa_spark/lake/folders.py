"""Folders of a lake beside its tables, on whatever storage Spark reaches."""

from __future__ import annotations

from typing import Any

from cqa_spark.lake.storage import Lake

MODELS, EXPORTS = "models", "exports"
"""Folders with a folder for each run, which has one for each attempt."""


def remove_folder(lake: Lake, *parts: str) -> None:
    """Remove a folder of the lake with its contents, if it exists."""
    spark: Any = lake.spark
    location = spark._jvm.org.apache.hadoop.fs.Path(lake.path(*parts))
    location.getFileSystem(spark._jsc.hadoopConfiguration()).delete(location, True)
