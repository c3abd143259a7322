import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.rankers.rankings import importances, rank_scored
from cqa_spark.rankers.registry import build_ranker


@pytest.fixture
def scored(make_examples) -> DataFrame:
    """Ties of score, and of score and initial rank."""
    rows = [
        ("Q1", "C1", 3, None),
        ("Q1", "C2", 2, None),
        ("Q1", "C4", 1, None),
        ("Q1", "C3", 1, None),
        ("Q2", "C1", 1, None),
    ]
    score = F.when(F.col("candidate_id") == "C1", 0.9).otherwise(0.5)
    return make_examples(rows).withColumns({"score": score, "predicted": F.col("initial_rank") > 1})


def test_ties_go_by_initial_rank_then_candidate(scored) -> None:
    ranked = rank_scored(scored.repartition(5), "mine", "run1").orderBy("query_id", "rank")
    rows = [tuple(row) for row in ranked.select("query_id", "candidate_id", "rank", "score", "predicted").collect()]
    assert rows == [
        ("Q1", "C1", 1, 0.9, True),
        ("Q1", "C3", 2, 0.5, False),
        ("Q1", "C4", 3, 0.5, False),
        ("Q1", "C2", 4, 0.5, True),
        ("Q2", "C1", 1, 0.9, False),
    ]


def test_rankings_have_the_declared_columns(scored) -> None:
    ranked = rank_scored(scored, "mine", "run1")
    assert ranked.columns == RANKINGS.schema.names
    assert {(row["system"], row["run_id"]) for row in ranked.collect()} == {("mine", "run1")}


def test_a_score_that_is_not_a_number_stops_the_ranking_and_names_the_row(scored) -> None:
    spoiled = scored.withColumn("score", F.when(F.col("candidate_id") == "C4", float("nan")).otherwise(1.0))
    with pytest.raises(Exception, match="system mine: the score is not a number for query Q1, candidate C4"):
        rank_scored(spoiled, "mine", "run1").collect()


def test_importances_have_the_declared_columns(training) -> None:
    entries = importances("mine", build_ranker("logistic_regression", {}).fit(training))
    assert FEATURE_IMPORTANCES.conform(entries) == entries
    assert [entry["feature"] for entry in entries] == ["g_v1__signal", "g_v1__noise"]


def test_a_baseline_has_no_importances(training) -> None:
    model = build_ranker("random_order", {}).fit(training)
    assert importances("mine", model) == []
