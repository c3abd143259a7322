"""Kinds of rows in the files of a revision: kept, new, and gone."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

ROWS = "_rows"
"""Column with the kind of a row; rows of different kinds are written to separate files."""

KEPT, NEW, GONE = "kept", "new", "gone"


def marked(frame: DataFrame, *kinds: str) -> DataFrame:
    """The rows, repeated for each of the given kinds."""
    return frame.withColumn(ROWS, F.explode(F.array(*map(F.lit, kinds))) if len(kinds) > 1 else F.lit(kinds[0]))


def kept_and_gone(stored: DataFrame, stale: DataFrame | None, *, gone: bool) -> DataFrame:
    """Mark stored rows as kept or gone.

    Args:
        stored: the rows.
        stale: keys of the rows to remove, distinct; None for none.
        gone: whether to include the removed rows.
    """
    if stale is None:
        return marked(stored, KEPT)
    if not gone:
        return marked(stored.join(stale, on=stale.columns, how="left_anti"), KEPT).select(*stored.columns, ROWS)
    is_stale = stale.select("*", F.lit(True).alias("_is_stale"))
    found = stored.join(is_stale, on=stale.columns, how="left")
    return found.select(*stored.columns, F.when(F.col("_is_stale"), GONE).otherwise(KEPT).alias(ROWS))
