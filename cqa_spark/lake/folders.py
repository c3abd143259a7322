"""Folders of a lake beside its tables, on whatever storage Spark reaches."""

from __future__ import annotations

from typing import Any

from cqa_spark.lake.storage import Lake

MODELS, EXPORTS = "models", "exports"
"""Folders with a folder for each run, which has one for each attempt."""


def subfolders(lake: Lake, *parts: str) -> list[str]:
    """The names of the folders within a folder of the lake; none where it is not there."""
    storage, location = _on_storage(lake, *parts)
    if not storage.exists(location):
        return []
    return sorted(each.getPath().getName() for each in storage.listStatus(location) if each.isDirectory())


def remove_folder(lake: Lake, *parts: str) -> None:
    """Remove a folder of the lake with all that is in it; none is fine too."""
    storage, location = _on_storage(lake, *parts)
    storage.delete(location, True)


def _on_storage(lake: Lake, *parts: str) -> tuple[Any, Any]:
    spark: Any = lake.spark
    location = spark._jvm.org.apache.hadoop.fs.Path(lake.path(*parts))
    return location.getFileSystem(spark._jsc.hadoopConfiguration()), location
