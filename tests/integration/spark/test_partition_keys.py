"""Each key has a partition of its own."""

import pytest
from pyspark.sql import functions as F

from cqa_spark.spark.frames import partition_keys


@pytest.mark.parametrize("partitions", [1, 2, 3, 8])
def test_the_key_of_a_partition_sends_rows_to_it(spark, partitions: int) -> None:
    keys = partition_keys(spark, partitions)
    rows = spark.createDataFrame([(key,) for key in keys * 2], "key int").repartition(partitions, "key")
    found = rows.select("key", F.spark_partition_id().alias("partition")).distinct().orderBy("partition").collect()
    assert [(row["partition"], row["key"]) for row in found] == list(enumerate(keys))
