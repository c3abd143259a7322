"""Totals of dated events at given moments: one window over events and questions together.

Moments and events are put into one table, sorted by time within their key, and summed from the start; every row is met
once, so the cost grows with events plus moments, whatever the events of one key. Events and moments of one key lie in
one task, sorted on disk where memory is short, and are summed as they stream by: no list of a user's history is ever
made. What an event adds to each total is worked out after sorting, so that a group of many totals sorts rows as narrow
as one of few. The sums are of whole numbers, so that their order does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F


def totals_at(
    moments: DataFrame,
    events: DataFrame,
    *,
    key: Sequence[str],
    values: Mapping[str, str],
    within: Sequence[str] = (),
    own: Sequence[str] = (),
) -> DataFrame:
    """Sum the events of each moment's key that were known at the moment.

    Args:
        moments: the key, ``within``, ``known_at`` (the moment) and columns that identify a row.
        events: the key, ``within``, ``known_at`` (from when on the event was known) and what the values follow from. An
            event known exactly at the moment counts; one whose time is null never does.
        key: columns that an event and a moment have to agree in; the most telling first.
        values: by name of a total, what an event adds to it: SQL over the event's columns, a whole number.
        within: columns beside the key that mark the events that are to be told apart, such as the thread.
        own: those values that are also summed over the events that agree in ``within``.

    Returns:
        One row per moment: its columns but for ``known_at``, ``last_at`` (time of the key's last event that was known;
        null for none), every value's total, and for each of ``own`` the total ``own_{value}``.
    """
    place = [*key, *within, "known_at"]
    identity = [name for name in moments.columns if name not in place]
    facts = [events.schema[name] for name in events.columns if name not in place]
    nothing = [F.lit(None).cast(fact.dataType).alias(fact.name) for fact in facts]
    waiting = moments.select(*place, F.struct(*identity).alias("moment"), *nothing)
    nobody = F.lit(None).cast(waiting.schema["moment"].dataType).alias("moment")
    dated = events.where(F.col("known_at").isNotNull())
    both = waiting.unionByName(dated.select(*place, nobody, *[fact.name for fact in facts]))
    # Rows that are together by key are together for the narrower window too: one shuffle does for both.
    together = both.repartition(*key)
    there = _until([*key, *within])
    with_own = together.select("*", *[_total(values[value], there).alias(f"own_{value}") for value in own])
    in_order = with_own.sortWithinPartitions(*key, "known_at")
    everywhere = _until(key)
    happened_at = F.when(F.col("moment").isNull(), F.col("known_at"))
    totals = in_order.select(
        *key, *within, "moment",
        F.max(happened_at).over(everywhere).alias("last_at"),
        *[_total(sql, everywhere).alias(f"total_{value}") for value, sql in values.items()],
        *[f"own_{value}" for value in own],
    )  # fmt: skip
    return totals.where(F.col("moment").isNotNull()).select(
        *key, *within, "moment.*", "last_at",
        *[F.col(f"total_{value}").alias(value) for value in values],
        *[f"own_{value}" for value in own],
    )  # fmt: skip


def _total(sql: str, window: WindowSpec) -> Column:
    return F.coalesce(F.sum(F.expr(sql)).over(window), F.lit(0).cast("bigint"))


def _until(key: Sequence[str]) -> WindowSpec:
    """From the first event of the key to the row's time, all that happened at that very time included."""
    return Window.partitionBy(*key).orderBy("known_at").rangeBetween(Window.unboundedPreceding, Window.currentRow)
