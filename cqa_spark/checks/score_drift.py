"""Checks for drift in the distribution of scores."""

from __future__ import annotations

from math import log

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_to_compare
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.schemas.rankings import RANKINGS

TENTHS = [tenth / 10 for tenth in range(1, 10)]
_LEAST = 1e-4  # share used for an empty bin, whose logarithm would be infinite


def score_drift(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The population stability index of the scores, in bins that each held a tenth of the last run's scores."""
    pair = review.both(RANKINGS)
    if pair is None:
        return nothing_to_compare("score drift", limits.max_score_drift)
    last, now = (frame.where(F.col("system") == review.system) for frame in pair)
    edges = sorted(set(last.agg(F.percentile("score", TENTHS)).first()[0] or []))  # type: ignore[index]
    shares = list(zip(_shares(last, edges), _shares(now, edges), strict=True))
    index = sum((p - q) * log(p / q) for p, q in shares)
    reason = f"population stability index over {len(shares)} bins"
    return Verdict("score drift", index <= limits.max_score_drift, index, limits.max_score_drift, reason)


def _shares(rankings: DataFrame, edges: list[float]) -> list[float]:
    """The share of the scores in each bin."""
    place = sum((F.when(F.col("score") > edge, 1).otherwise(0) for edge in edges), F.lit(0))
    counts = {row["bin"]: row["count"] for row in rankings.groupBy(place.alias("bin")).count().collect()}
    total = max(1, sum(counts.values()))
    return [max(_LEAST, counts.get(number, 0) / total) for number in range(len(edges) + 1)]
