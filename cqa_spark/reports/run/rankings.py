"""What a run ranked: one pass over its rankings."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


@dataclass(frozen=True)
class RankedSystem:
    """The rankings of one system on one split of a task.

    Attributes:
        task: name of the task.
        split: name of the split.
        system: name of the system.
        queries: number of ranked queries.
        candidates: number of ranked candidates.
        low: lowest score.
        high: highest score.
        has_one_label: whether it calls all candidates relevant, or none.
    """

    task: str
    split: str
    system: str
    queries: int
    candidates: int
    low: float
    high: float
    has_one_label: bool = False


def ranked_systems(rankings: DataFrame) -> tuple[RankedSystem, ...]:
    """The systems of the table ``rankings``, by task, split and name."""
    counted = rankings.groupBy("task", "split", "system").agg(
        F.count_if(F.col("rank") == 1).alias("queries"),
        F.count(F.lit(1)).alias("candidates"),
        F.min("score").alias("low"),
        F.max("score").alias("high"),
        (F.min("predicted") == F.max("predicted")).alias("has_one_label"),
    )
    found = (RankedSystem(**row.asDict()) for row in counted.collect())
    return tuple(sorted(found, key=lambda each: (each.task, each.split, each.system)))
