"""The paired test of two models, on literal scores."""

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.evaluation.statistics.nights import Nights, expected_hits, night_worth
from cqa_spark.steps.kept_models import challenge

# Query, thread, candidate, relevant, score of the champion, score of the challenger.
ROWS = [
    ("1@a", "1", "x", True, 1.0, 2.0), ("1@a", "1", "y", False, 3.0, 1.0),
    ("1@b", "1", "x", True, 2.0, 2.0), ("1@b", "1", "y", False, 2.0, 1.0),
    ("2@a", "2", "x", False, 1.0, 5.0), ("2@a", "2", "y", True, 2.0, 1.0), ("2@a", "2", "z", False, 0.0, 5.0),
    ("3@a", "3", "x", True, 1.0, 4.0), ("3@a", "3", "y", False, 3.0, 4.0),
]  # fmt: skip


def scored(spark: SparkSession, place: int, rows: list[tuple[object, ...]]) -> DataFrame:
    columns = "site string, task string, query_id string, fold_key string, candidate_id string, relevant boolean, "
    given = [("s", "t", *row[:4], row[place]) for row in rows]
    return spark.createDataFrame(given, columns + "score double")


def test_a_challenge_is_the_paired_test_by_thread_of_the_worth_of_nights(spark: SparkSession) -> None:
    found = challenge(scored(spark, 4, ROWS), scored(spark, 5, ROWS))
    starts, accepted = np.array([0, 2, 4, 7]), np.array([row[3] for row in ROWS])
    scores = {"old": np.array([row[4] for row in ROWS]), "new": np.array([row[5] for row in ROWS])}
    none = np.zeros(4, dtype=np.int64)
    hits = {name: expected_hits(of_answers, accepted, starts) for name, of_answers in scores.items()}
    nights = Nights(site=np.array(["s"] * 4, object), thread=np.array([1, 1, 2, 3]), age=none, votes=none, hits=hits)
    wanted = night_worth(nights, hits, "old", {})[1]
    assert wanted.order == "new"
    assert found.difference == pytest.approx((1.0 + 0.5 - 1.0 + 0.5) / 4)
    assert (found.queries, found.threads, found.is_won) == (4, 3, True)
    assert found[:4] == pytest.approx(
        (wanted.difference, wanted.low_difference, wanted.high_difference, wanted.p_value), abs=1e-12
    )


def test_a_single_thread_tells_nothing_for_certain_and_none_tells_nothing(spark: SparkSession) -> None:
    one = challenge(scored(spark, 4, ROWS[:4]), scored(spark, 5, ROWS[:4]))
    assert (one.difference, one.low, one.p_value, one.threads) == (0.75, -np.inf, 1.0, 1)
    none = challenge(scored(spark, 4, []), scored(spark, 5, []))
    assert (none.queries, none.is_won) == (0, False)
