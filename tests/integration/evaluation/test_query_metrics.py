"""Measures of rankings on Spark."""

import math

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import measure_totals, query_metrics
from cqa_spark.lake.schemas.metrics import QUERY_METRICS, by_measure

LABELS = {("Q1", "C1"): 0, ("Q1", "C2"): 2, ("Q1", "C3"): 1, ("Q1", "C4"): None, ("Q2", "C5"): 1, ("Q3", "C6"): None}


@pytest.fixture
def examples(spark: SparkSession) -> DataFrame:
    rows = [
        ("forum", "question_comment", query, query, candidate, label, None if label is None else label > 0, None, "dev")
        for (query, candidate), label in LABELS.items()
    ]
    return spark.createDataFrame(
        rows,
        "site string, task string, query_id string, fold_key string, candidate_id string, label int, relevant boolean, "
        "similarity double, split string",
    )


@pytest.fixture
def rankings(spark: SparkSession) -> DataFrame:
    ranked = [
        ("full", "Q1", "C4", 1, True),
        ("full", "Q1", "C1", 2, True),
        ("full", "Q1", "C3", 3, True),
        ("full", "Q1", "C2", 10, False),
        ("full", "Q2", "C5", 1, True),
        ("full", "Q3", "C6", 1, True),
        ("partial", "Q1", "C2", 1, True),
    ]
    rows = [
        ("run", system, "forum", "question_comment", "dev", query, candidate, 1.0, rank, predicted)
        for system, query, candidate, rank, predicted in ranked
    ]
    return spark.createDataFrame(
        rows,
        "run_id string, system string, site string, task string, split string, query_id string, "
        "candidate_id string, score double, rank int, predicted boolean",
    )


def values(metrics: DataFrame) -> dict[tuple[str, str], float]:
    return {(row.system, row.query_id): row.value for row in by_measure(metrics).collect()}


def measured(rankings: DataFrame, examples: DataFrame, written: str) -> dict[tuple[str, str], float]:
    return values(query_metrics(rankings, examples, [parse_measure(written)]))


def test_unjudged_candidates_are_skipped_and_ranks_order_as_numbers(rankings, examples) -> None:
    assert measured(rankings, examples, "MAP@10") == {
        ("full", "Q1"): pytest.approx((1 / 2 + 2 / 3) / 2),
        ("full", "Q2"): 1.0,
        ("partial", "Q1"): 1.0,
        ("partial", "Q2"): 0.0,
    }


def test_relevant_candidates_that_are_not_ranked_are_missed(rankings, examples) -> None:
    metrics = query_metrics(rankings, examples, [parse_measure("Recall")])
    components = {(row.system, row.query_id): tuple(row.components) for row in by_measure(metrics).collect()}
    assert components == {
        ("full", "Q1"): (1.0, 2.0),
        ("full", "Q2"): (1.0, 1.0),
        ("partial", "Q1"): (1.0, 2.0),
        ("partial", "Q2"): (0.0, 1.0),
    }


def test_graded_labels_are_the_gains(rankings, examples) -> None:
    assert measured(rankings, examples, "nDCG@1")["partial", "Q1"] == 1.0
    expected = (1 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert measured(rankings, examples, "nDCG@2")["full", "Q1"] == pytest.approx(expected)


def test_of_an_order_at_random_the_expectation_is_computed(rankings, examples) -> None:
    found = values(query_metrics(rankings, examples, [parse_measure("P@1")], at_random=["full"]))
    assert found == {
        ("full", "Q1"): pytest.approx(2 / 3),
        ("full", "Q2"): 1.0,
        ("partial", "Q1"): 1.0,
        ("partial", "Q2"): 0.0,
    }


def test_other_tasks_and_splits_are_not_mixed_in(rankings, examples) -> None:
    other = examples.replace({"dev": "test"}, subset="split")
    assert measured(rankings, other, "MAP@10") == {}


def test_rows_are_those_of_the_declared_table_in_any_partitioning(rankings, examples) -> None:
    measures = [parse_measure(written) for written in ("MAP@10", "AvgRec@10", "F1", "AP")]
    tables = [query_metrics(rankings.repartition(parts), examples.repartition(parts), measures) for parts in (1, 4, 16)]
    assert tables[0].schema.simpleString() == QUERY_METRICS.schema.simpleString()
    first, *others = [sorted(map(str, table.collect())) for table in tables]
    assert len(first) == 2
    assert all(rows == first for rows in others)


def test_measures_are_in_the_order_of_system_and_name(rankings, examples) -> None:
    found = query_metrics(rankings, examples, [parse_measure(written) for written in ("P@1", "MAP@10")])
    assert {tuple((each.system, each.measure) for each in row.measures) for row in found.collect()} == {
        (("full", "MAP@10"), ("full", "P@1"), ("partial", "MAP@10"), ("partial", "P@1"))
    }


def test_scores_far_from_zero_correlate_as_their_differences(spark: SparkSession) -> None:
    similarities, scores = (0.1, 0.4, 0.5, 0.9), (1.0, 3.0, 2.0, 4.0)
    pairs = [(f"Q{number}", f"C{number}") for number in range(4)]
    examples = spark.createDataFrame(
        [("s", "sts", pair[0], *pair, 1, True, gold, "dev") for pair, gold in zip(pairs, similarities, strict=True)],
        "site string, task string, query_id string, fold_key string, candidate_id string, label int, relevant boolean, "
        "similarity double, split string",
    )
    rankings = spark.createDataFrame(
        [("run", f"{unit}", "s", "sts", "dev", *pair, 1e7 + unit * score, 1, True)
         for unit in (1.0, -0.01) for pair, score in zip(pairs, scores, strict=True)],
        "run_id string, system string, site string, task string, split string, query_id string, candidate_id string, "
        "score double, rank int, predicted boolean",
    )  # fmt: skip
    totals = measure_totals(
        by_measure(query_metrics(rankings, examples, [parse_measure("Pearson")])), "Pearson", ["system"]
    )
    expected = float(np.corrcoef(scores, similarities)[0, 1])
    assert totals == {("1.0",): pytest.approx(expected, abs=1e-6), ("-0.01",): pytest.approx(-expected, abs=1e-6)}
