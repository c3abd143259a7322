"""The sites in tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def sites_by_table(frames: Mapping[str, DataFrame]) -> dict[str, set[str]]:
    """The sites in each of the given tables, in one query.

    Args:
        frames: the tables, by name; at least one.
    """
    named = [frame.select(F.lit(name).alias("name"), "site") for name, frame in frames.items()]
    found: dict[str, set[str]] = {name: set() for name in frames}
    for row in reduce(DataFrame.unionByName, named).distinct().collect():
        found[row["name"]].add(row["site"])
    return found
