"""Features as differences from the query's mean."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from saved_folders import reloaded_ranker

from cqa_spark.rankers.registry import build_ranker
from cqa_spark.rankers.within_query import with_deviations


def test_a_deviation_is_the_difference_from_the_mean_of_the_querys_candidates(spark: SparkSession) -> None:
    given = [("s", "t", "Q1", "C1", 1.0, 0.5), ("s", "t", "Q1", "C2", 4.0, 0.5), ("s", "t", "Q1", "C3", 1.0, 2.0)]
    given += [("s", "t", "Q2", "C1", 7.0, 1.0), ("other", "t", "Q1", "C1", 3.0, 0.0)]
    given += [("other", "t", "Q1", "C2", 5.0, 0.0)]
    columns = "site string, task string, query_id string, candidate_id string, g_v1__x double, g_v1__y double"
    found = with_deviations(spark.createDataFrame(given, columns).repartition(3))
    assert found.columns[6:] == ["g_v1__x_within_query", "g_v1__y_within_query"]
    assert {(row[0], *row[2:4]): tuple(row[6:]) for row in found.collect()} == {
        ("s", "Q1", "C1"): (-1.0, -0.5),
        ("s", "Q1", "C2"): (2.0, -0.5),
        ("s", "Q1", "C3"): (-1.0, 1.0),
        ("s", "Q2", "C1"): (0.0, 0.0),
        ("other", "Q1", "C1"): (-1.0, 0.0),
        ("other", "Q1", "C2"): (1.0, 0.0),
    }


def test_the_member_learns_from_both_and_is_saved_with_the_ranker(training: DataFrame, tmp_path: Path) -> None:
    member = {"name": "logistic_regression", "parameters": {"iterations": 5}}
    ranker = build_ranker("within_query", {"member": member})
    assert ranker.gives_probabilities
    model = ranker.fit(training)
    assert model.description.features == ("g_v1__signal", "g_v1__noise")
    assert len(model.member.description.features) == 4
    shares = {each.feature: each for each in model.feature_importances()}
    assert sum(each.importance for each in shares.values()) == pytest.approx(1, abs=1e-12)
    assert shares["g_v1__signal"].importance > 0.6
    assert shares["g_v1__signal"].direction == 1
    scores = model.transform(training).select("candidate_id", "score")
    again = ranker.fit(training.repartition(3)).transform(training.repartition(5)).select("candidate_id", "score")
    assert scores.exceptAll(again).isEmpty()
    loaded = reloaded_ranker(model, tmp_path).transform(training).select("candidate_id", "score")
    assert scores.exceptAll(loaded).isEmpty()
