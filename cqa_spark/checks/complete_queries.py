"""Checks that every query is ranked with all of its candidates."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict, reads
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING, QUERY
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.settings.sections import CheckSettings

NAME = "complete queries"
"""Name of the check."""

_RANKED = ("ranked", "last_rank")


@reads(EXAMPLES, RANKINGS)
def complete_queries(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The number of queries that a system ranks partially, or for which no order is served."""
    by_system = _ranked(review.now[RANKINGS.name])
    ranked = by_system.groupBy(*QUERY).agg(F.collect_list(F.struct("served", *_RANKED)).alias("systems"))
    compared = ranked.join(_wanted(review.now[EXAMPLES.name]), on=list(QUERY), how="full")
    in_part = F.exists("systems", lambda ranking: ~_is_whole(ranking["ranked"], ranking["last_rank"]))
    is_served = F.coalesce(F.exists("systems", lambda ranking: ranking["served"]), F.lit(False))
    missing = F.col("is_to_rank") & ~is_served
    counts = compared.agg(F.count_if(in_part).alias("in_part"), F.count_if(missing).alias("missing")).first()
    assert counts is not None, "an aggregate has one row"
    broken = counts["in_part"] + counts["missing"]
    reason = f"{counts['in_part']:,} queries partially ranked, {counts['missing']:,} not at all"
    return Verdict(NAME, broken == 0, broken, 0, reason)


def incomplete_rankings(rankings: DataFrame, examples: DataFrame) -> DataFrame:
    """The partially ranked queries of each system: system, site, task, query_id, ranked, wanted.

    Args:
        rankings: rows of ``RANKINGS``.
        examples: rows of ``EXAMPLES``, all of the run.
    """
    compared = _ranked(rankings).join(_wanted(examples), on=list(QUERY), how="left")
    return compared.where(~_is_whole(*map(F.col, _RANKED))).drop("is_to_rank", "last_rank", "served")


def _ranked(rankings: DataFrame) -> DataFrame:
    """By system and query, the number of ranked candidates, the last rank, and whether this order is served.

    Rankings of a run that is no night serve all that they rank; a night may have kept them.
    """
    return rankings.groupBy("system", *QUERY).agg(
        F.count("*").alias("ranked"),
        F.max("rank").alias("last_rank"),
        F.coalesce(F.max("served"), F.lit(True)).alias("served"),
    )


def _wanted(examples: DataFrame) -> DataFrame:
    """By query, the number of candidates, and whether they must be ranked."""
    to_rank = F.max(F.expr(OUTSIDE_TRAINING)).alias("is_to_rank")
    return examples.groupBy(*QUERY).agg(F.count("*").alias("wanted"), to_rank)


def _is_whole(ranked: Column, last_rank: Column) -> Column:
    return F.coalesce((ranked == F.col("wanted")) & (last_rank == F.col("wanted")), F.lit(False))
