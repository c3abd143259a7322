"""Rows that a function of a step persists stay until the step ends."""

from contextlib import suppress

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.spark.frames import persist, persisted, persistence_scope, run_concurrently


def persisted_tables(spark: SparkSession) -> int:
    return spark.sparkContext._jsc.getPersistentRDDs().size()


def test_a_scope_releases_the_rows_of_its_concurrent_parts_and_of_inner_scopes(spark: SparkSession) -> None:
    before = persisted_tables(spark)

    def held(count: int) -> DataFrame:
        rows = persist(spark.range(count))
        assert rows.count() == count
        return rows

    with suppress(ValueError), persistence_scope():
        held(3)
        with persistence_scope():
            run_concurrently(held, [4, 5])
            assert persisted_tables(spark) == before + 3
        assert persisted_tables(spark) == before + 1
        held(6)
        raise ValueError("the scope ends early")
    assert persisted_tables(spark) == before


@pytest.mark.parametrize("plain", ["", "1"])
def test_persisted_rows_join_with_themselves_with_and_without_shortcuts(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, plain: str
) -> None:
    monkeypatch.setenv("CQA_PLAIN_SPARK", plain)
    numbers = spark.range(4).withColumn("half", F.expr("id div 2")).orderBy("id")
    with persisted(numbers) as (rows,):
        pairs = rows.join(rows.groupBy("half").agg(F.max("id").alias("last")), "half").orderBy("id")
        assert [(row.id, row.last) for row in pairs.collect()] == [(0, 1), (1, 1), (2, 3), (3, 3)]
        assert (rows is numbers) == bool(plain)


def test_outside_of_a_scope_nothing_is_persisted(spark: SparkSession) -> None:
    rows = spark.range(3)
    assert persist(rows) is rows
    assert not rows.storageLevel.useMemory
