"""Counts scores per bin in Spark, so that a bounded number of rows reaches the driver."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.reports.run.scores.content import ScoreHistogram
from cqa_spark.reports.scope import Scope

BINS = 24
"""Number of bins of a histogram."""

_PAIR = ("site", "task", "query_id", "candidate_id")


def collect_histograms(scope: Scope, systems: tuple[str, ...]) -> tuple[ScoreHistogram, ...]:
    """The score histograms of all systems, by relevance of the candidates.

    Args:
        scope: rows to report on.
        systems: names of the systems, in the order of the histograms.
    """
    rankings = _with_relevance(scope)
    ends = rankings.groupBy("system").agg(F.min("score").alias("low"), F.max("score").alias("high"))
    share = (F.col("score") - F.col("low")) / (F.col("high") - F.col("low"))
    place = F.least(F.coalesce(F.floor(share * BINS), F.lit(0)), F.lit(BINS - 1)).cast("int")
    binned = rankings.join(F.broadcast(ends), on="system", how="inner").withColumn("bin", place)
    keys = ["system", "low", "high", "bin", "relevant"]
    rows = binned.groupBy(*keys).agg(F.count(F.lit(1)).alias("candidates")).collect()
    counts = {(row.system, row.relevant, row.bin): row.candidates for row in rows}
    limits = {row.system: (row.low, row.high) for row in rows}

    def per_bin(system: str, relevant: bool | None) -> tuple[int, ...]:
        return tuple(counts.get((system, relevant, number), 0) for number in range(BINS))

    return tuple(
        ScoreHistogram(system, *limits[system], per_bin(system, True), per_bin(system, False), per_bin(system, None))
        for system in systems
        if system in limits
    )


def _with_relevance(scope: Scope) -> DataFrame:
    rankings = scope.rankings().select("system", *_PAIR, "score")
    examples = scope.table("examples")
    if examples is None:
        return rankings.withColumn("relevant", F.lit(None).cast("boolean"))
    return rankings.join(examples.select(*_PAIR, "relevant"), on=list(_PAIR), how="left")
