"""Keeps DataFrames that are read several times in memory, and releases them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame


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


def scan_of(frame: DataFrame) -> DataFrame:
    """The rows of a persisted DataFrame, with a plan that only scans them.

    Spark analyses the whole plan of a DataFrame at each operation on it, including the part that is persisted, which it
    replaces by a scan only when a query runs. On a small corpus, this takes most of the time of a step that derives
    many DataFrames.

    Args:
        frame: a persisted DataFrame. To release the rows, unpersist this one, not its scan.
    """
    spark = frame.sparkSession
    jvm: Any = spark._jvm
    of_rows, session = jvm.org.apache.spark.sql.Dataset.ofRows, spark._jsparkSession
    relation = of_rows(session, frame._jdf.logicalPlan()).queryExecution().withCachedData()
    # Without the order of the rows, which would keep the ids of the columns when a join of the scan with itself gives
    # one side new ones; the physical scan knows it.
    scan = relation.copy(relation.output(), relation.cacheBuilder(), jvm.PythonUtils.toSeq([]))
    getattr(scan, "statsOfPlanToCache_$eq")(relation.statsOfPlanToCache())
    return DataFrame(of_rows(session, scan), spark)
