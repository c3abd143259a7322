"""Groups rows by site."""

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry


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


def collected(frame: DataFrame) -> dict[str, list[Row]]:
    """Collect rows by site, in the order of the frame."""
    sites: dict[str, list[Row]] = defaultdict(list)
    for row in frame.collect():
        sites[row.site].append(row)
    return sites


def grouped(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Group entries of a journal table by site, in their order."""
    sites: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        sites[entry["site"]].append(entry)
    return sites


def stacked(frames: Iterable[DataFrame]) -> DataFrame:
    """Union of frames by column name; missing columns are null."""
    return reduce(lambda above, below: above.unionByName(below, allowMissingColumns=True), frames)
