import numpy as np
import pytest
from pyspark.sql import SparkSession

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import measure_totals


@pytest.mark.parametrize(("measure", "width"), [("MAP@10", 1), ("Precision", 2)])
def test_totals_are_those_of_sorted_queries_in_any_partitions(spark: SparkSession, measure: str, width: int) -> None:
    drawn = np.random.default_rng(1).random((2, 40, width)) * 3
    rows = [(repeat, vector) for repeat, of_queries in enumerate(drawn.tolist()) for vector in of_queries]
    frame = spark.createDataFrame(rows, "repeat int, components array<double>")
    expected = {(repeat,): parse_measure(measure).total(of_queries) for repeat, of_queries in enumerate(drawn.tolist())}
    for partitions in (1, 5):
        assert measure_totals(frame.repartition(partitions), measure, ["repeat"]) == expected
