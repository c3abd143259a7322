"""Rows per site: collected, and the first ones of every site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F


def first_rows(frame: DataFrame, limit: int, *order: Column | str, within: tuple[str, ...] = ("site",)) -> DataFrame:
    """The first rows of every site.

    Args:
        frame: rows with a column ``site``.
        limit: rows that are kept.
        order: a total order, so that the same rows are kept whatever the partitions.
        within: columns that tell the groups apart of which each keeps as many rows.
    """
    place = F.row_number().over(Window.partitionBy(*within).orderBy(*order))
    return frame.withColumn("place", place).where(F.col("place") <= limit).drop("place")


def collected(frame: DataFrame) -> dict[str, list[Row]]:
    """The rows of every site, in the frame's order."""
    sites: dict[str, list[Row]] = defaultdict(list)
    for row in frame.collect():
        sites[row.site].append(row)
    return sites


def stacked(frames: Iterable[DataFrame]) -> DataFrame:
    """All rows of several frames; a column that a frame lacks is null there."""
    return reduce(lambda above, below: above.unionByName(below, allowMissingColumns=True), frames)
