"""Small text files on whatever storage Spark writes to; Spark itself writes folders of parts only."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from cqa_spark.errors import InputError


def write_text(path: str, text: str) -> None:
    """Write a file, in place of one that is there; needs an active Spark session."""
    storage, location = _on_storage(path)
    stream = storage.create(location, True)
    try:
        stream.write(bytearray(text, "utf-8"))
    finally:
        stream.close()


def read_text(path: str) -> str:
    """Read a whole file; needs an active Spark session.

    Raises:
        InputError: there is no such file.
    """
    storage, location = _on_storage(path)
    if not storage.exists(location):
        raise InputError(f"there is no {path}", "give the folder of a model that was saved completely")
    stream = storage.open(location)
    try:
        return bytes(stream.readAllBytes()).decode("utf-8")
    finally:
        stream.close()


def _on_storage(path: str) -> tuple[Any, Any]:
    spark: Any = SparkSession.active()
    location = spark._jvm.org.apache.hadoop.fs.Path(path)
    return location.getFileSystem(spark._jsc.hadoopConfiguration()), location
