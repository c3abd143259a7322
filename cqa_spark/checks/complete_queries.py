"""Checks that every query is ranked with all of its candidates."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING, QUERY
from cqa_spark.lake.schemas.rankings import RANKINGS


def complete_queries(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The number of queries that are ranked partially or not at all."""
    rankings = review.now[RANKINGS.name].where(F.col("system") == review.system)
    broken = _compared(rankings, review.now[EXAMPLES.name], how="full")
    to_rank = F.col("ranked").isNull() & F.col("is_to_rank")
    in_part = F.col("ranked").isNotNull() & ~_is_whole()
    found = broken.agg(F.count_if(in_part).alias("in_part"), F.count_if(to_rank).alias("missing")).first()
    assert found is not None, "an aggregate has one row"
    ranked, missing = found["in_part"], found["missing"]
    reason = f"{ranked:,} queries partially ranked, {missing:,} not at all"
    return Verdict("complete queries", ranked + missing == 0, ranked + missing, 0, reason)


def incomplete_rankings(rankings: DataFrame, examples: DataFrame) -> DataFrame:
    """The partially ranked queries of each system: system, site, task, query_id, ranked, wanted.

    Args:
        rankings: rows of ``RANKINGS``.
        examples: rows of ``EXAMPLES``, all of the run.
    """
    return _compared(rankings, examples, how="left").where(~_is_whole())


def _compared(rankings: DataFrame, examples: DataFrame, *, how: str) -> DataFrame:
    """By system and query, the numbers of ranked candidates and of all candidates."""
    to_rank = F.max(F.expr(OUTSIDE_TRAINING)).alias("is_to_rank")
    wanted = examples.groupBy(*QUERY).agg(F.count("*").alias("wanted"), to_rank)
    ranked = rankings.groupBy("system", *QUERY).agg(F.count("*").alias("ranked"), F.max("rank").alias("last_rank"))
    return ranked.join(wanted, on=list(QUERY), how=how)


def _is_whole() -> Column:
    whole = (F.col("ranked") == F.col("wanted")) & (F.col("last_rank") == F.col("wanted"))
    return F.coalesce(whole, F.lit(False))
