"""Checks that every query is ranked, with all its candidates."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING, QUERY
from cqa_spark.lake.schemas.rankings import RANKINGS


def complete_queries(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The number of queries that lack candidates or are not ranked at all."""
    examples = review.now[EXAMPLES.name].where(OUTSIDE_TRAINING)
    rankings = review.now[RANKINGS.name].where(F.col("system") == review.system)
    ranked = incomplete_rankings(rankings, review.now[EXAMPLES.name]).count()
    missing = examples.select(*QUERY).distinct().join(rankings, on=list(QUERY), how="left_anti").count()
    reason = f"{ranked:,} queries ranked in part, {missing:,} not at all"
    return Verdict("complete queries", ranked + missing == 0, ranked + missing, 0, reason)


def incomplete_rankings(rankings: DataFrame, examples: DataFrame) -> DataFrame:
    """The queries of which a system ranked some candidates and not all: system, site, task, query_id, ranked, wanted.

    Args:
        rankings: rows of ``RANKINGS``.
        examples: rows of ``EXAMPLES``, all of the run.
    """
    wanted = examples.groupBy(*QUERY).agg(F.count("*").alias("wanted"))
    ranked = rankings.groupBy("system", *QUERY).agg(F.count("*").alias("ranked"), F.max("rank").alias("last_rank"))
    whole = (F.col("ranked") == F.col("wanted")) & (F.col("last_rank") == F.col("wanted"))
    return ranked.join(wanted, on=list(QUERY), how="left").where(~F.coalesce(whole, F.lit(False)))
