"""Checks that rankings are similar to the published ones."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_to_compare, reads
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.settings.sections import CheckSettings


@reads(RANKINGS)
def rank_correlation(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """Spearman's correlation with the published ranking over the common candidates; the mean over queries."""
    pair = review.both(RANKINGS)
    if pair is None:
        return nothing_to_compare("rank correlation", limits.min_rank_correlation)
    last, now = (frame.where(F.col("system") == review.system) for frame in pair)
    row = correlations(last, now).agg(F.avg("correlation").alias("mean"), F.count(F.lit(1)).alias("queries")).first()
    if row is None or not row["queries"]:
        return nothing_to_compare("rank correlation", limits.min_rank_correlation)
    least = limits.min_rank_correlation
    return Verdict(
        "rank correlation", row["mean"] >= least, row["mean"], least, f"mean over {row['queries']:,} queries"
    )


def correlations(last: DataFrame, now: DataFrame) -> DataFrame:
    """Site, task, query_id and ``correlation`` of every query with at least two common candidates.

    Args:
        last: published rows of ``RANKINGS`` of one system.
        now: rows of the run.
    """
    before = last.select(*QUERY, "candidate_id", F.col("rank").alias("last_rank"))
    both = before.join(now.select(*QUERY, "candidate_id", "rank"), on=[*QUERY, "candidate_id"])
    # Ranks among the common candidates: new or removed candidates may lie between them.
    squared = F.pow(_rank_among_both("last_rank") - _rank_among_both("rank"), 2)
    by_query = (
        both.select(*QUERY, squared.alias("d")).groupBy(*QUERY).agg(F.sum("d").alias("d"), F.count("d").alias("n"))
    )
    n = F.col("n")
    return by_query.where(n > 1).select(*QUERY, (1 - 6 * F.col("d") / (n * (n * n - 1))).alias("correlation"))


def _rank_among_both(rank: str) -> Column:
    return F.row_number().over(Window.partitionBy(*QUERY).orderBy(rank))
