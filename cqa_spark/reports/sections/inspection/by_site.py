"""Groups rows by site."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeVar

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry

Value = TypeVar("Value")


def first_rows(frame: DataFrame, limit: int, *order: Column | str, within: tuple[str, ...] = ("site",)) -> DataFrame:
    """Keep the first rows of each site.

    Args:
        frame: rows with a column ``site``.
        limit: number of rows to keep per group.
        order: a total order, so that the result does not depend on the partitions.
        within: grouping columns.
    """
    position = F.row_number().over(Window.partitionBy(*within).orderBy(*order))
    return frame.withColumn("position", position).where(F.col("position") <= limit).drop("position")


def grouped(rows: Iterable[Row] | Iterable[Entry], value: Callable[[Any], Value]) -> dict[str, tuple[Value, ...]]:
    """The values of rows, or of entries of a journal table, by site, in their order."""
    sites: dict[str, list[Value]] = defaultdict(list)
    for row in rows:
        sites[row["site"]].append(value(row))
    return {site: tuple(values) for site, values in sites.items()}


def stacked(frames: Iterable[DataFrame]) -> DataFrame:
    """Union of frames by column name; missing columns are null."""
    return reduce(lambda above, below: above.unionByName(below, allowMissingColumns=True), frames)
