"""Checks whether the system is worse tonight than last night, on the replayed nights that both measured."""

import numpy as np
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_differs, nothing_to_compare, reads
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS

NAME = "night drop"
"""Name of the check."""


@reads(NIGHT_RANKINGS)
def night_drop(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """How far below 0 the 95 % interval of the difference of P@1 ends, tonight minus last night.

    The system is compared with itself, whichever order was served. Errors are by thread, as in ``night_worth``.
    """
    pair = review.both(NIGHT_RANKINGS)
    if pair is None:
        return nothing_to_compare(NAME, limits.max_metric_drop)
    if NIGHT_RANKINGS.name in review.same:
        return nothing_differs(NAME, limits.max_metric_drop)
    last, now = (_hits(frame.where(F.col("system") == review.system)) for frame in pair)
    both = now.join(last.withColumnRenamed("hit", "last_hit"), on=["site", "thread_id", "query_id"])
    by_thread = both.groupBy("site", "thread_id").agg(
        F.sum(F.col("hit") - F.col("last_hit")).alias("d"), F.count(F.lit(1)).alias("n")
    )
    sums = by_thread.agg(
        F.count(F.lit(1)).alias("threads"),
        *[
            F.sum(F.expr(term)).alias(name)
            for name, term in {"d": "d", "n": "n", "dd": "d*d", "dn": "d*n", "nn": "n*n"}.items()
        ],
    ).first()
    assert sums is not None, "an aggregate has one row"
    if sums["threads"] < 2:
        return nothing_to_compare(NAME, limits.max_metric_drop)
    from scipy import stats  # slow import, and every flow of a night looks at what checks read

    threads, nights = sums["threads"], sums["n"]
    mean = sums["d"] / nights
    squares = max(0.0, sums["dd"] - 2 * mean * sums["dn"] + mean**2 * sums["nn"])
    error = np.sqrt(squares * threads / (threads - 1)) / nights
    high = mean + float(stats.t.ppf(0.975, threads - 1)) * error
    drop = max(0.0, -high)
    reason = (
        f"P@1 on {nights:,} common nights of {threads:,} threads: {100 * mean:+.2f} points, at most {100 * high:+.2f}"
    )
    return Verdict(NAME, drop <= limits.max_metric_drop, drop, limits.max_metric_drop, reason)


def _hits(rankings: DataFrame) -> DataFrame:
    """P@1 of each night: the share of accepted answers among those with the highest score."""
    night = Window.partitionBy("site", "query_id")
    is_first = F.col("score") == F.max("score").over(night)
    hit = F.avg(F.col("accepted").cast("double")).alias("hit")
    return rankings.withColumn("is_first", is_first).where("is_first").groupBy("site", "thread_id", "query_id").agg(hit)
