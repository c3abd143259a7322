"""Each check on tables small enough to count by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.checks.check import Check, Contents, RunUnderReview, Verdict
from cqa_spark.checks.complete_queries import complete_queries
from cqa_spark.checks.contents import contents_of
from cqa_spark.checks.metric_drop import metric_drop
from cqa_spark.checks.null_shares import null_shares
from cqa_spark.checks.quarantine_share import quarantine_share
from cqa_spark.checks.rank_correlation import rank_correlation
from cqa_spark.checks.registry import CHECKS
from cqa_spark.checks.row_counts import row_counts
from cqa_spark.checks.score_drift import score_drift
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.journal import Entry

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


def review(now: dict[str, DataFrame], last: dict[str, DataFrame]) -> RunUnderReview:
    return RunUnderReview(now, last, "s", "MAP@10", contents=counted(now), last_contents=counted(last))


def counted(tables: dict[str, DataFrame]) -> dict[str, Contents]:
    return {name: contents_of(frame) for name, frame in tables.items()}


def posts(spark: SparkSession, bodies: Sequence[str | None]) -> DataFrame:
    return spark.createDataFrame([(body,) for body in bodies], "body string")


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
    others = [check for check in CHECKS if check not in (quarantine_share, complete_queries)]
    assert {check(first, LIMITS).reason for check in others} == {"nothing comparable is published"}


def test_tables_that_shrink_grow_or_go_empty(spark: SparkSession) -> None:
    last, now = posts(spark, ["a"] * 20), posts(spark, ["a"] * 15 + [None] * 3)
    verdict = row_counts(review({"posts": now}, {"posts": last}), LIMITS)
    assert (verdict.passed, verdict.limit, verdict.reason) == (False, 0.05, "posts: 20 rows, now 18")
    assert verdict.measured == pytest.approx(0.1)
    grown = row_counts(review({"posts": last}, {"posts": now}), LIMITS)
    assert (grown.passed, grown.limit, grown.reason) == (True, 0.5, "posts: 18 rows, now 20")
    empty = null_shares(review({"posts": now}, {"posts": last}), LIMITS)
    assert (empty.passed, empty.reason) == (False, "posts.body: 0.0% unknown, now 16.7%")


@pytest.mark.parametrize("check", [row_counts, null_shares])
def test_a_table_of_the_published_version_is_not_looked_at(spark: SparkSession, check: Check) -> None:
    posts_now, users = posts(spark, [None]), spark.createDataFrame([("a",)], "about string")
    last = {"posts": posts(spark, ["a"] * 20), "users": users}
    alone = replace(review({"posts": posts_now}, last), same=frozenset({"posts"}))
    assert (check(alone, LIMITS).passed, check(alone, LIMITS).reason) == (True, "all tables are unchanged")
    beside = replace(review({"posts": posts_now, "users": users}, last), same=frozenset({"posts"}))
    assert check(beside, LIMITS).reason.startswith("users")


def test_rankings_that_are_not_what_readers_know(spark: SparkSession) -> None:
    last = rankings(spark, {"q1": "abc", "q2": "ab", "q3": "ab", "q4": "a"})
    now = rankings(spark, {"q1": "xabc", "q2": "ba", "q5": "ab"})  # x is new and counts for nothing
    verdict = rank_correlation(review({"rankings": now}, {"rankings": last}), LIMITS)
    assert (verdict.passed, verdict.measured, verdict.reason) == (False, 0.0, "mean over 2 queries")
    same = score_drift(review({"rankings": last}, {"rankings": last}), LIMITS)
    assert (same.passed, same.measured) == (True, 0)
    shifted = now.withColumn("score", now.score + 10)
    assert not score_drift(review({"rankings": shifted}, {"rankings": last}), LIMITS).passed


def measured(split: str, value: float, low: float, high: float) -> Entry:
    return {"system": "s", "split": split, "measure": "MAP@10", "value": value, "low": low, "high": high}


@pytest.mark.parametrize(("value", "passed"), [(0.55, True), (0.45, False)])
def test_a_measure_below_its_interval(value: float, passed: bool) -> None:
    last = [measured("dev", 0.6, 0.5, 0.7), measured("test", 1.0, 1.0, 1.0)]
    now = [measured("dev", value, value - 0.1, value + 0.1)]
    both = RunUnderReview({}, {}, "s", "MAP@10", entries={"metrics": now}, last_entries={"metrics": last})
    verdict = metric_drop(both, LIMITS)
    assert (verdict.passed, verdict.reason) == (passed, f"MAP@10: 0.6000 [0.5000, 0.7000], now {value:.4f}")
