"""Rows that a function of a step persists stay until the step ends."""

from contextlib import suppress

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.spark.frames import persist, persistence_scope, run_concurrently


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


def test_outside_of_a_scope_nothing_is_persisted(spark: SparkSession) -> None:
    rows = spark.range(3)
    assert persist(rows) is rows
    assert not rows.storageLevel.useMemory
