"""Measures of queries, with a row for each query or for each measure."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.lake.schemas.metrics import QUERY_METRICS, by_measure, by_query, of_systems

P_1 = ("a", "P@1", 1.0, [1.0])
RECALL = ("a", "Recall", 0.5, [1.0, 2.0])
OF_B = ("b", "P@1", 0.0, [0.0])
ROWS = [
    ("answers", "dev", "forum", "Q1", "Q1", [P_1, RECALL, OF_B], None, None, None),
    ("answers", "test", "forum", "Q1", "Q1", [P_1], None, None, None),
]


@pytest.fixture
def query_metrics(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, QUERY_METRICS.schema)


def test_rows_of_measures_and_of_queries(query_metrics: DataFrame) -> None:
    rows = by_measure(query_metrics)
    assert sorted(map(tuple, rows.drop("thread_id", "age_days", "votes").collect())) == [
        (*row[:5], *measure) for row in ROWS for measure in row[5]
    ]
    assert QUERY_METRICS.complete(by_query(rows)).orderBy("split").collect() == query_metrics.collect()


def test_measures_of_some_systems(query_metrics: DataFrame) -> None:
    assert [row["measures"] for row in of_systems(query_metrics, ["b"]).collect()] == [[OF_B], []]
