"""The moment after which as-of features know nothing."""

from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.features.inputs import Cut

START = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        (Cut("question"), START),
        (Cut("answer"), START + timedelta(hours=3)),
        (Cut("delay", 1.5), START + timedelta(minutes=90)),
        (Cut(), START + timedelta(days=1)),
    ],
)
def test_the_cut(spark: SparkSession, cut: Cut, expected: datetime) -> None:
    columns = "asked_at timestamp, answered_at timestamp, cut_at timestamp"
    times = spark.createDataFrame([(START, START + timedelta(hours=3), None)], columns)
    row = times.select(F.expr(cut.sql).alias("cut")).first()
    assert row is not None
    assert row["cut"].astimezone(UTC) == expected
