"""A table with hundreds of columns in a bucket: tasks write its files there, and nothing else stays."""

from __future__ import annotations

from cqa_spark.lake.new_files import UNCOMMITTED
from cqa_spark.lake.wide_files import WIDE, is_wide
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from s3_server import S3Server, reach

from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table, column

VALUES = T.StructType([T.StructField(f"v{place}", T.DoubleType()) for place in range(WIDE)])
TABLE = Table(
    "wide",
    "Many values.",
    (
        column("site", "string", "site", nullable=False),
        column("id", "string", "id", nullable=False),
        column("values", VALUES, "values"),
    ),
    key=("site", "id"),
    partition_by=("site",),
)


def test_a_wide_table_in_a_bucket(spark: SparkSession, s3: S3Server) -> None:
    reach(spark, s3)
    lake = Lake(spark, s3.location("wide"), s3.settings)
    values = F.struct(*[(F.col("id") + place).cast("double").alias(f"v{place}") for place in range(WIDE)])
    site = F.concat(F.lit("s"), (F.col("id") % 2).cast("string"), F.lit(".org"))
    rows = spark.range(30).select(site.alias("site"), F.col("id").cast("string").alias("id"), values.alias("values"))
    assert is_wide(rows.schema)
    first = lake.write(TABLE, rows, author="r1")
    assert (first.rows, lake.state(TABLE, first.version).rows_by_site()) == (30, {"s0.org": 15, "s1.org": 15})
    fewer = rows.where("site = 's1.org' AND id <> '7'")
    again = lake.replace(TABLE, fewer, sites=["s1.org"], base=first.version, author="r2")
    kept = {row["id"]: row["values"]["v99"] for row in lake.read(TABLE, again.version).collect()}
    assert kept == {str(number): number + 99.0 for number in range(30) if number != 7}
    assert list(lake.objects.keys(f"{UNCOMMITTED}/")) == []
