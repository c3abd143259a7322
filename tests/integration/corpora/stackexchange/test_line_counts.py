from functools import reduce

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.line_batches import NOT_A_ROW, ROW
from cqa_spark.corpora.stackexchange.line_counts import line_counts, observed_line_counts

FILE = 2


def counted(spark: SparkSession, rows: list[int]) -> dict[tuple[int, int], int]:
    """Count one file's lines, so many rows and a line that is none in each of some tasks."""
    kind = F.when(F.col("id") == 0, NOT_A_ROW).otherwise(ROW).alias("kind")
    tasks = [spark.range(0, 1 + number, 1, 1).select(F.lit(FILE).alias("file"), kind) for number in rows]
    observation = Observation()
    lines = reduce(DataFrame.unionByName, tasks).observe(observation, observed_line_counts(files=1).alias("lines"))
    lines.write.format("noop").mode("overwrite").save()
    return line_counts(observation.get["lines"])


def test_lines_of_several_tasks_are_counted_under_their_own_file_and_kind(spark: SparkSession) -> None:
    # 6 * (1/7) + 6/7 * 6 is 5.999999999999999, in whatever order the tasks end.
    assert counted(spark, [1, 6, 7]) == {(FILE, ROW): 14, (FILE, NOT_A_ROW): 3}


@settings(max_examples=8, derandomize=True, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=6))
def test_no_line_is_counted_elsewhere(spark: SparkSession, rows: list[int]) -> None:
    assert counted(spark, rows) == {(FILE, ROW): sum(rows), (FILE, NOT_A_ROW): len(rows)}


def test_nothing_observed_is_no_line() -> None:
    assert line_counts(None) == {}
