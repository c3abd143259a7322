"""Keeps DataFrames that are read several times in memory, and releases them."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame

from cqa_spark.spark.internals import scan_of


@contextmanager
def persisted(*frames: DataFrame) -> Iterator[tuple[DataFrame, ...]]:
    """Persist DataFrames while the block runs; each is computed when it is first read.

    Yields:
        The scans of the persisted rows (``scan_of``).
    """
    for frame in frames:
        frame.persist()
    try:
        yield tuple(map(scan_of, frames))
    finally:
        for frame in frames:
            frame.unpersist()
