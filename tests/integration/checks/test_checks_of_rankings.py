"""The checks that compare rankings, on tables small enough to count by hand."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.checks.check import RunUnderReview, Verdict, all_checks
from cqa_spark.checks.complete_queries import complete_queries
from cqa_spark.checks.quarantine_share import quarantine_share
from cqa_spark.checks.rank_correlation import rank_correlation
from cqa_spark.checks.score_drift import score_drift
from cqa_spark.config.check_settings import CheckSettings

LIMITS = CheckSettings()


def rankings(spark: SparkSession, orders: dict[str, str]) -> DataFrame:
    """By query, its candidates from best to worst, a letter each; scores go down from 1."""
    rows = [
        ("s", "site", "task", query, candidate, 1.0 - place / 10, place + 1)
        for query, order in orders.items()
        for place, candidate in enumerate(order)
    ]
    return spark.createDataFrame(
        rows, "system string, site string, task string, query_id string, candidate_id string, score double, rank int"
    )


def examples(spark: SparkSession, candidates: dict[str, str], split: str = "test") -> DataFrame:
    rows = [("site", "task", query, one, split) for query, each in candidates.items() for one in each]
    return spark.createDataFrame(rows, "site string, task string, query_id string, candidate_id string, split string")


def review(now: DataFrame, last: DataFrame) -> RunUnderReview:
    return RunUnderReview({"rankings": now}, {"rankings": last}, "s", "MAP@10")


def test_in_the_first_night_only_the_run_itself_is_judged(spark: SparkSession) -> None:
    files = {
        "source_file": "f",
        "lines": None,
        "not_rows": None,
        "rows_in": 1000,
        "rows_out": 998,
        "rows_quarantined": 2,
    }
    now = {
        "examples": examples(spark, {"q1": "ab", "q2": "ab", "q3": "a"}).unionByName(
            examples(spark, {"q4": "a"}, "train")
        ),
        "rankings": rankings(spark, {"q1": "ab", "q2": "a"}),
    }
    first = RunUnderReview(now, {}, "s", "MAP@10", entries={"ingested_files": [files]})
    assert quarantine_share(first, LIMITS) == Verdict("quarantine", False, 0.002, 0.001, "2 of 1,000 records")
    assert complete_queries(first, LIMITS) == Verdict(
        "complete queries", False, 2, 0, "1 queries partially ranked, 1 not at all"
    )
    others = [check for check in all_checks() if check not in (quarantine_share, complete_queries)]
    assert {check(first, LIMITS).reason for check in others} == {"nothing comparable is published"}


def test_rankings_that_are_not_what_readers_know(spark: SparkSession) -> None:
    last = rankings(spark, {"q1": "abc", "q2": "ab", "q3": "ab", "q4": "a"})
    now = rankings(spark, {"q1": "xabc", "q2": "ba", "q5": "ab"})  # x is new and counts for nothing
    verdict = rank_correlation(review(now, last), LIMITS)
    assert (verdict.passed, verdict.measured, verdict.reason) == (False, 0.0, "mean over 2 queries")
    same = score_drift(review(last, last), LIMITS)
    assert (same.passed, same.measured) == (True, 0)
    shifted = now.withColumn("score", now.score + 10)
    assert not score_drift(review(shifted, last), LIMITS).passed
