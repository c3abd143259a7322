"""Reads small files whole, for formats that Spark cannot split into records."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from functools import reduce

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.errors import InputError

GZIP = b"\x1f\x8b"


def read_whole_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Read each file into one row.

    Returns:
        file (int, position in the list) and content (binary).

    Raises:
        InputError: a file does not exist or cannot be read.
    """
    return reduce(DataFrame.unionByName, [_read(spark, path, place) for place, path in enumerate(paths)])


class DamagedFile(Exception):
    """A file that cannot be decompressed; the message says why."""


def decompressed(content: bytes) -> bytes:
    """The content of a file, which may be compressed by gzip.

    Raises:
        DamagedFile: it is compressed, and truncated or damaged.
    """
    if not content.startswith(GZIP):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise DamagedFile(f"it cannot be decompressed: {error}") from error


def of_file(values: Sequence[str]) -> Column:
    """The value for the file of a row, such as its path.

    Args:
        values: one value per file, in the same order.
    """
    return F.array(*[F.lit(value) for value in values])[F.col("file")]


def _read(spark: SparkSession, path: str, place: int) -> DataFrame:
    try:
        files = spark.read.format("binaryFile").load(path)
    except AnalysisException as error:
        raise InputError(
            f"cannot read {path}: {error.getMessageParameters() or error}",
            "check the address and that the job may read it",
        ) from error
    return files.select(F.lit(place).alias("file"), "content")
