"""Checks for drift in the distribution of scores."""

from math import log

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_to_compare, reads
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.settings.sections import CheckSettings

TENTHS = [tenth / 10 for tenth in range(1, 10)]
_ACCURACY = 10_000  # the rank of a decile is off by at most the 10,000th part of the scores: not at all up to so many
_LEAST = 1e-4  # share used for an empty bin, whose logarithm would be infinite


@reads(RANKINGS)
def score_drift(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The population stability index of the scores, in the deciles of the published scores."""
    pair = review.both(RANKINGS)
    if pair is None:
        return nothing_to_compare("score drift", limits.max_score_drift)
    last, now = (frame.where(F.col("system") == review.system) for frame in pair)
    shares = _shares(last, now)
    if not shares:
        return nothing_to_compare("score drift", limits.max_score_drift)
    index = sum((p - q) * log(p / q) for p, q in shares)
    reason = f"population stability index over {len(shares)} bins"
    return Verdict("score drift", index <= limits.max_score_drift, index, limits.max_score_drift, reason)


def _shares(last: DataFrame, now: DataFrame) -> list[tuple[float, float]]:
    """The shares of published and of new scores in each bin, in one query; none if nothing was published."""
    deciles = F.percentile_approx("score", TENTHS, _ACCURACY)
    edges = last.agg(F.array_sort(F.array_distinct(deciles)).alias("edges"))
    sides = [frame.select("score", F.lit(side).alias("side")) for side, frame in enumerate((last, now))]
    scores = (
        sides[0]
        .unionByName(sides[1])
        .crossJoin(F.broadcast(edges.select(F.coalesce("edges", F.array()).alias("edges"))))
    )
    bin_number = F.size(F.filter("edges", lambda edge: F.col("score") > edge)).alias("bin")
    rows = scores.groupBy("side", bin_number, (F.size("edges") + 1).alias("bins")).count().collect()
    counts = [{row["bin"]: row["count"] for row in rows if row["side"] == side} for side in range(2)]
    if not counts[0]:
        return []
    totals = [max(1, sum(of_side.values())) for of_side in counts]
    before, after = (
        [max(_LEAST, of_side.get(number, 0) / total) for number in range(rows[0]["bins"])]
        for of_side, total in zip(counts, totals, strict=True)
    )
    return list(zip(before, after, strict=True))
