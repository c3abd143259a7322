"""Totals of dated events at given moments: one window over events and questions together.

Moments and events are put into one table, sorted by time within their key, and summed from the start; every row is met
once, so the cost grows with events plus moments, whatever the events of one key. Events and moments of one key lie in
one task, sorted on disk where memory is short, and are summed as they stream by: no list of a user's history is ever
made. The sums are of whole numbers, so that their order does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F


def totals_at(
    moments: DataFrame,
    events: DataFrame,
    *,
    key: Sequence[str],
    values: Sequence[str],
    within: Sequence[str] = (),
    own: Sequence[str] = (),
) -> DataFrame:
    """Sum the events of each moment's key that were known at the moment.

    Args:
        moments: the key, ``within``, ``known_at`` (the moment) and columns that identify a row.
        events: the key, ``within``, ``known_at`` (from when on the event was known) and the values, whole numbers. An
            event known exactly at the moment counts; one whose time is null never does.
        key: columns that an event and a moment have to agree in.
        values: columns to sum.
        within: columns beside the key that mark the events that are to be told apart, such as the thread.
        own: those values that are also summed over the events that agree in ``within``.

    Returns:
        One row per moment: its columns but for ``known_at``, ``last_at`` (time of the key's last event that was known;
        null for none), every value's total, and for each of ``own`` the total ``own_{value}``.
    """
    identity = [name for name in moments.columns if name not in (*key, *within, "known_at")]
    waiting = moments.select(
        *key, *within, "known_at", F.struct(*identity).alias("moment"), *[F.lit(0).alias(value) for value in values]
    )
    nobody = F.lit(None).cast(waiting.schema["moment"].dataType).alias("moment")
    dated = events.where(F.col("known_at").isNotNull())
    both = waiting.unionByName(dated.select(*key, *within, "known_at", nobody, *values))
    everywhere, there = _until(key), _until([*key, *within])
    happened_at = F.when(F.col("moment").isNull(), F.col("known_at"))
    # The window of the key comes first: rows that it has brought together are together for the narrower one too.
    totals = both.select(
        *key, *within, "known_at", "moment", *own,
        F.max(happened_at).over(everywhere).alias("last_at"),
        *[F.sum(value).over(everywhere).alias(f"total_{value}") for value in values],
    )  # fmt: skip
    with_own = totals.select("*", *[F.sum(value).over(there).alias(f"own_{value}") for value in own])
    return with_own.where(F.col("moment").isNotNull()).select(
        *key, *within, "moment.*", "last_at",
        *[F.col(f"total_{value}").alias(value) for value in values],
        *[f"own_{value}" for value in own],
    )  # fmt: skip


def _until(key: Sequence[str]) -> WindowSpec:
    """From the first event of the key to the row's time, all that happened at that very time included."""
    return Window.partitionBy(*key).orderBy("known_at").rangeBetween(Window.unboundedPreceding, Window.currentRow)
