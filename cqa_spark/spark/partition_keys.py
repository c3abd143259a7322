"""Keys that send rows to given partitions."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

_CANDIDATES = 16
"""Numbers that are tried for each partition; that none of them reaches it has a chance of e to the power of -16."""


def partition_keys(spark: SparkSession, partitions: int) -> list[int]:
    """One key for each partition of ``repartition(partitions, key)``, so that no partition has rows of two keys.

    Few distinct keys would share partitions: hashes of keys collide, and ranges of keys are estimated from a sample.

    Args:
        spark: computes the hashes.
        partitions: number of partitions.
    """
    key = F.col("id").cast("int")
    partition = F.pmod(F.hash(key), F.lit(partitions)).alias("partition")
    by_partition = spark.range(_CANDIDATES * partitions).groupBy(partition).agg(F.min(key).alias("key"))
    return [row["key"] for row in by_partition.orderBy("partition").collect()]
