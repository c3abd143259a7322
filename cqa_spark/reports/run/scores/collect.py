"""Counts scores per bin in Spark, so that a bounded number of rows reaches the driver."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.reports.run.rankings import RankedSystem
from cqa_spark.reports.run.scores.content import ScoreHistogram
from cqa_spark.reports.scope import Scope

BINS = 24
"""Number of bins of a histogram."""

_PAIR = ("site", "task", "query_id", "candidate_id")


def collect_histograms(scope: Scope, ranked: Sequence[RankedSystem]) -> tuple[ScoreHistogram, ...]:
    """The score histograms of all systems, by relevance of the candidates.

    Args:
        scope: rows to report on.
        ranked: the systems, in the order of the histograms; at least one.
    """
    binned = _with_relevance(scope).withColumn("bin", _bin(ranked))
    rows = binned.groupBy("system", "bin", "relevant").agg(F.count(F.lit(1)).alias("candidates")).collect()
    counts = {(row.system, row.relevant, row.bin): row.candidates for row in rows}

    def per_bin(system: str, relevant: bool | None) -> tuple[int, ...]:
        return tuple(counts.get((system, relevant, number), 0) for number in range(BINS))

    return tuple(
        ScoreHistogram(
            each.system,
            each.low,
            each.high,
            per_bin(each.system, True),
            per_bin(each.system, False),
            per_bin(each.system, None),
        )
        for each in ranked
    )


def _bin(ranked: Sequence[RankedSystem]) -> Column:
    """The bin of a score between the lowest and the highest score of its system; 0 if these are equal."""
    low, high = (
        F.create_map(*[F.lit(value) for each in ranked for value in (each.system, getattr(each, end))])[F.col("system")]
        for end in ("low", "high")
    )
    share = (F.col("score") - low) / (high - low)
    return F.least(F.coalesce(F.floor(share * BINS), F.lit(0)), F.lit(BINS - 1)).cast("int")


def _with_relevance(scope: Scope) -> DataFrame:
    rankings = scope.rankings().select("system", *_PAIR, "score")
    examples = scope.table("examples")
    if examples is None:
        return rankings.withColumn("relevant", F.lit(None).cast("boolean"))
    return rankings.join(examples.select(*_PAIR, "relevant"), on=list(_PAIR), how="left")
