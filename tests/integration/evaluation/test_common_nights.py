"""Runs compared on the replayed nights that all of them have measured."""

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.evaluation.statistics.clusters import paired_difference
from cqa_spark.evaluation.statistics.nights import compare_nights
from cqa_spark.evaluation.statistics.tests import holm


def measured_nights(spark: SparkSession, hits: dict[str, float]) -> DataFrame:
    """Nights such as ``a2``, the second of the thread ``a``; the order ``t`` is measured on two of them."""
    rows = [
        ("nights", "site", night[0], night, [(order, hit) for order in ("st" if night in ("a1", "x1") else "s")])
        for night, hit in hits.items()
    ]
    measures = "measures array<struct<system:string,value:double>>"
    schema = f"split string, site string, thread_id string, query_id string, {measures}"
    other = ("test", "site", None, "a1", [("s", 1.0)])
    return spark.createDataFrame([*rows, other], schema)


def test_the_test_on_common_nights_is_that_of_a_mean_of_clusters(spark: SparkSession) -> None:
    first = {"a1": 0.0, "a2": 0.0, "a3": 1.0, "b1": 0.5, "c1": 1.0, "d1": 0.0, "x1": 1.0}
    second = {"a1": 1.0, "a2": 1.0, "a3": 1.0, "b1": 0.0, "c1": 1.0, "d1": 1.0, "y1": 0.0}
    third = first | {"z1": 0.0}
    by_run = dict(zip("123", (measured_nights(spark, hits) for hits in (first, second, third)), strict=True))
    *of_s, _, of_t, _ = compare_nights(by_run)
    assert [(row["scope"], row["system"], row["queries"], row["topics"], row["value"]) for row in of_s] == [
        ("s", "1", 6, 4, 2.5 / 6), ("s", "2", 6, 4, 5 / 6), ("s", "3", 6, 4, 2.5 / 6),
    ]  # fmt: skip
    gains, threads = np.array([1.0, 1.0, 0.0, -0.5, 0.0, 1.0]), np.array([0, 0, 0, 1, 2, 3])
    gain = paired_difference(gains, threads)
    p_value = holm(np.array([gain.p_value, 1.0]))[0]
    baseline, better, same = of_s
    assert (baseline["p_value"], better["baseline"]) == (None, "1")
    assert [better[name] for name in ("difference", "difference_low", "difference_high", "p_value")] == pytest.approx(
        [gain.value, gain.low, gain.high, p_value]
    )
    assert [better[name] for name in ("wins", "losses", "ties")] == [3, 1, 2]
    assert [same[name] for name in ("difference", "p_value", "wins", "losses")] == [0.0, 1.0, 0, 0]
    assert (of_t["scope"], of_t["topics"], of_t["difference_high"], of_t["p_value"]) == ("t", 1, np.inf, 1.0)
