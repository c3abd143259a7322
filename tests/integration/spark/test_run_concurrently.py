"""Parts that are done at once: the order of the results, and which failure is told."""

import threading

import pytest
from pyspark.sql import SparkSession

from cqa_spark.spark.frames import run_concurrently

PATIENCE = 60  # seconds, of which a test that passes waits none


def test_results_come_in_the_order_of_the_parts(spark: SparkSession) -> None:
    second_has_ended = threading.Event()

    def rows(part: int) -> int:
        if part == 1:
            assert second_has_ended.wait(PATIENCE), "the second part did not begin beside the first"
        count = spark.range(part).count()
        second_has_ended.set()
        return count

    assert run_concurrently(rows, [1, 2, 3]) == [1, 2, 3]
    assert run_concurrently(rows, []) == []


def test_the_first_part_that_failed_is_told_whichever_failed_earlier(spark: SparkSession) -> None:
    second_has_failed = threading.Event()

    def fail(part: int) -> None:
        if part == 1:
            assert second_has_failed.wait(PATIENCE), "the second part did not begin beside the first"
        second_has_failed.set()
        raise ValueError(f"part {part}")

    with pytest.raises(ValueError, match="part 1"):
        run_concurrently(fail, [1, 2])
