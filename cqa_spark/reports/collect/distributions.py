"""Differences per query and histograms of scores, counted in Spark so that their size has a bound."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.reports.collect.scope import Scope
from cqa_spark.reports.content.distributions import Differences, ScoreHistogram

BINS = 24
"""Bins between the lowest and the highest score of a system."""

RESOLUTION = 1000
"""Differences are rounded to one part in this many."""

_PAIR = ("site", "task", "query_id", "candidate_id")


def collect_differences(scope: Scope) -> Differences | None:
    """The best system's main measure minus the baseline's, query by query; None where there is nothing to compare."""
    values = scope.table("query_metrics")
    if values is None or scope.baseline is None or scope.baseline == scope.best_system:
        return None
    values = values.where(F.col("measure") == scope.main_measure)
    best = _of_system(values, scope.best_system, "best")
    baseline = _of_system(values, scope.baseline, "baseline")
    rounded = F.round((F.col("best") - F.col("baseline")) * RESOLUTION).cast("int")
    compared = best.join(baseline, on=["site", "query_id"], how="inner").groupBy(rounded.alias("difference"))
    rows = compared.agg(F.count(F.lit(1)).alias("queries")).orderBy(F.desc("difference")).collect()
    if not rows:
        return None
    steps = tuple((row.difference / RESOLUTION, row.queries) for row in rows)
    return Differences(scope.best_system, scope.baseline, scope.main_measure, steps)


def _of_system(values: DataFrame, system: str, name: str) -> DataFrame:
    return values.where(F.col("system") == system).select("site", "query_id", F.col("value").alias(name))


def collect_histograms(scope: Scope, systems: tuple[str, ...]) -> tuple[ScoreHistogram, ...]:
    """The scores of every system, by whether the candidate is relevant.

    Args:
        scope: the rows to speak of.
        systems: order of the histograms.
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
