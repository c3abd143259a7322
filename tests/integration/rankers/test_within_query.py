"""Features as differences from the query's mean."""

from pyspark.sql import SparkSession

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
