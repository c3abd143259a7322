"""The checks that compare rankings, on tables small enough to count by hand."""

from math import log, nextafter

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.checks.check import RunUnderReview, Verdict, all_checks
from cqa_spark.checks.complete_queries import complete_queries
from cqa_spark.checks.night_drop import night_drop
from cqa_spark.checks.quarantine_share import quarantine_share
from cqa_spark.checks.rank_correlation import rank_correlation
from cqa_spark.checks.score_drift import score_drift
from cqa_spark.checks.served_questions import served_questions
from cqa_spark.checks.worth_drop import worth_drop
from cqa_spark.settings.sections import CheckSettings

LIMITS = CheckSettings()


def rankings(spark: SparkSession, orders: dict[str, str]) -> DataFrame:
    """By query, its candidates from best to worst, a letter each; scores go down from 1."""
    rows = [
        ("s", "site", "task", query, candidate, 1.0 - place / 10, place + 1, True)
        for query, order in orders.items()
        for place, candidate in enumerate(order)
    ]
    return spark.createDataFrame(
        rows,
        "system string, site string, task string, query_id string, candidate_id string, score double, rank int, "
        "served boolean",
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
    alone = (quarantine_share, complete_queries, served_questions, worth_drop)
    others = [check for check in all_checks() if check not in alone]
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


def scored(spark: SparkSession, scores: list[float]) -> DataFrame:
    rows = [("s", "site", "task", "q", str(number), score, number + 1) for number, score in enumerate(scores)]
    columns = "system string, site string, task string, query_id string, candidate_id string, score double, rank int"
    return spark.createDataFrame(rows, columns)


def test_drift_of_scores_by_hand_and_at_its_limit(spark: SparkSession) -> None:
    """Two bins, because all deciles of zeros and ones are 0 or 1: those up to 0, and those up to 1."""
    last, now = scored(spark, [0.0] * 8 + [1.0] * 8), scored(spark, [0.0] * 4 + [1.0] * 12)
    index = (1 / 2 - 1 / 4) * log((1 / 2) / (1 / 4)) + (1 / 2 - 3 / 4) * log((1 / 2) / (3 / 4))
    empty = 1e-4  # the third bin, above the last decile
    drift = score_drift(review(now, last), LIMITS)
    assert drift.measured == pytest.approx(index, abs=1e-12)
    assert drift.reason == "population stability index over 3 bins"
    for limit, passed in (
        (nextafter(drift.measured, 0), False),
        (drift.measured, True),
        (nextafter(drift.measured, 1), True),
    ):
        assert score_drift(review(now, last), CheckSettings(max_score_drift=limit)).passed == passed
    gone = score_drift(review(scored(spark, [1.0] * 4), last), LIMITS)
    expected = (1 / 2 - empty) * log((1 / 2) / empty) + (1 / 2 - 1) * log((1 / 2) / 1)
    assert (gone.passed, gone.measured) == (False, pytest.approx(expected, abs=1e-12))
    nothing = scored(spark, [])
    assert score_drift(review(last, nothing), LIMITS).reason == "nothing comparable is published"
    assert not score_drift(review(nothing, last), LIMITS).passed


def test_correlation_and_nights_at_their_limits(spark: SparkSession) -> None:
    last, now = rankings(spark, {"q1": "abc"}), rankings(spark, {"q1": "acb"})
    for limit, passed in ((0.4999, True), (0.5, True), (0.5001, False)):
        verdict = rank_correlation(review(now, last), CheckSettings(min_rank_correlation=limit))
        assert (verdict.passed, verdict.measured, verdict.limit) == (passed, 0.5, limit)
    good, tied = (measured(spark, {f"{thread}1": hit for thread in "cdefghijlm"}) for hit in (1.0, 0.5))
    drop = night_drop(nights_review(tied, good), LIMITS).measured
    assert drop is not None
    for limit, passed in ((nextafter(drop, 0), False), (drop, True), (nextafter(drop, 1), True)):
        assert night_drop(nights_review(tied, good), CheckSettings(max_metric_drop=limit)).passed == passed
    for query, passed in (("ab", True), ("a", False)):
        whole = {"examples": examples(spark, {"q1": "ab"}), "rankings": rankings(spark, {"q1": query})}
        assert complete_queries(RunUnderReview(whole, {}, "s", "P@1"), LIMITS).passed == passed


def test_every_question_with_enough_answers_is_served(spark: SparkSession) -> None:
    answers = {"q1": 2, "q2": 2, "q3": 3, "q4": 1}
    rows = [("site", query, query, "question", "2020-01-01") for query in answers]
    rows += [("site", f"{q}a{n}", q, "answer", "2020-01-02") for q, number in answers.items() for n in range(number)]
    rows += [("site", "q4b", "q4", "answer", None)]  # an answer without a time has no night
    posts = spark.createDataFrame(
        rows, "site string, post_id string, thread_id string, post_type string, created_at string"
    )
    now, last = rankings(spark, {"q1": "ab"}), rankings(spark, {"q1": "ab", "q2": "ab"})
    tonight = RunUnderReview({"posts": posts, "rankings": now}, {"rankings": last}, "s", "P@1", min_answers=2)
    reason = "2 questions with 2 answers or more are not served, 1 of them were last night"
    assert served_questions(tonight, LIMITS) == Verdict("served questions", False, 2, 0, reason)


def measured(spark: SparkSession, hits: dict[str, float]) -> DataFrame:
    """The hit of the system, by night; nights of a thread begin with its letter. The other night is not measured."""
    rows = [("nights", "site", night[0], night, [("s", hit)]) for night, hit in hits.items()]
    return spark.createDataFrame(
        [*rows, ("nights", "site", "k", "k1", [("other", 1.0)]), ("test", "site", None, "c1", [("s", 1.0)])],
        "split string, site string, thread_id string, query_id string, "
        "measures array<struct<system:string,value:double>>",
    )


def nights_review(now: DataFrame, last: DataFrame) -> RunUnderReview:
    return RunUnderReview({"query_metrics": now}, {"query_metrics": last}, "s", "P@1")


def test_the_system_is_compared_with_itself_on_common_nights(spark: SparkSession) -> None:
    threads = "cdefghijlm"
    good = measured(spark, {f"{thread}1": 1.0 for thread in threads} | {"z1": 1.0})
    tied = measured(spark, {f"{thread}1": 0.5 for thread in threads} | {"y1": 0.0})
    assert night_drop(nights_review(good, good), LIMITS).measured == 0
    verdict = night_drop(nights_review(tied, good), LIMITS)
    assert (verdict.passed, verdict.measured) == (False, pytest.approx(0.2156, abs=1e-4))
    assert verdict.reason == "P@1 on 10 common nights of 10 threads: -50.00 points, at most -21.56"
    half = measured(spark, {f"{thread}1": float(thread != "c") for thread in threads})
    assert night_drop(nights_review(half, good), LIMITS).passed  # one thread proves nothing
    nine = measured(spark, {f"{thread}1": 0.0 for thread in threads[1:]})
    few = night_drop(nights_review(nine, good), LIMITS)
    assert (few.passed, few.measured) == (True, None)
    assert few.reason == ("too few to tell (fewer than 10): P@1 on 9 common nights of 9 threads: -100.00 points")
