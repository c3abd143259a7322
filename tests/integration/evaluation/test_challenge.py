"""The paired test of two models, on literal scores."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.evaluation.statistics.nights import Nights, expected_hits, night_metrics
from cqa_spark.steps.kept_models import compare_models

# Query, thread, candidate, relevant, score of the champion, score of the challenger.
ROWS = [
    ("1@a", "1", "x", True, 1.0, 2.0), ("1@a", "1", "y", False, 3.0, 1.0),
    ("1@b", "1", "x", True, 2.0, 2.0), ("1@b", "1", "y", False, 2.0, 1.0),
    ("2@a", "2", "x", False, 1.0, 5.0), ("2@a", "2", "y", True, 2.0, 1.0), ("2@a", "2", "z", False, 0.0, 5.0),
    ("3@a", "3", "x", True, 1.0, 4.0), ("3@a", "3", "y", False, 3.0, 4.0),
]  # fmt: skip
MODELS: Any = [
    SimpleNamespace(score=lambda candidates, name=name: candidates.of([f"g__{name}"])[:, 0]) for name in ("old", "new")
]


def scored(spark: SparkSession, rows: list[tuple[object, ...]]) -> DataFrame:
    columns = "site string, task string, query_id string, fold_key string, candidate_id string, relevant boolean, "
    return spark.createDataFrame([("s", "t", *row) for row in rows], columns + "g__old double, g__new double")


def test_a_challenge_is_the_paired_test_by_thread_of_the_worth_of_nights(spark: SparkSession) -> None:
    compared = compare_models(scored(spark, ROWS), *MODELS)
    assert compared is not None
    starts, accepted = np.array([0, 2, 4, 7]), np.array([row[3] for row in ROWS])
    scores = {"old": np.array([row[4] for row in ROWS]), "new": np.array([row[5] for row in ROWS])}
    none = np.zeros(4, dtype=np.int64)
    hits = {name: expected_hits(of_answers, accepted, starts) for name, of_answers in scores.items()}
    nights = Nights(site=np.array(["s"] * 4, object), thread=np.array([1, 1, 2, 3]), age=none, votes=none, hits=hits)
    wanted = night_metrics(nights, "t", hits, "old", {})[1]
    assert wanted["system"] == "new"
    assert compared["difference"] == pytest.approx((1.0 + 0.5 - 1.0 + 0.5) / 4)
    columns = (
        "queries", "topics", "value", "difference", "difference_low", "difference_high", "p_value", "wins", "losses",
        "ties",
    )  # fmt: skip
    assert [compared[name] for name in columns] == pytest.approx([wanted[name] for name in columns], abs=1e-12)


def test_a_single_thread_tells_nothing_for_certain_and_none_tells_nothing(spark: SparkSession) -> None:
    compared = compare_models(scored(spark, ROWS[:4]), *MODELS)
    assert compared is not None
    assert (compared["difference"], compared["difference_low"]) == (0.75, -np.inf)
    assert (compared["p_value"], compared["topics"]) == (1.0, 1)
    assert compare_models(scored(spark, []), *MODELS) is None
