"""A run in a bucket: tasks write the files of a table there, and nothing else stays."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from s3_server import S3Server, reach

from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.lake.table import Table, column, required

TABLE = Table(
    "numbers",
    "Numbers of two sites.",
    (
        required("site", "string", "site"),
        required("number", "bigint", "number"),
        column("halves", T.ArrayType(T.DoubleType()), "half of it"),
    ),
    key=("site", "number"),
    partition_by=("site",),
)


def test_a_run_replaces_the_rows_of_a_site_in_a_bucket(spark: SparkSession, s3: S3Server) -> None:
    reach(spark, s3)
    lake = Lake(spark, s3.location("writing it's 100% a=b"), s3.settings)
    site = F.concat(F.lit("s"), (F.col("id") % 2).cast("string"), F.lit(".org"))
    rows = spark.range(30).select(
        site.alias("site"), F.col("id").alias("number"), F.array(F.col("id") / 2).alias("halves")
    )
    begin = RunRecord("r1", "running", "run", config_hash="c0ffee", config="", code_version="0")
    with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
        assert run.write(TABLE, rows) == 30
        first = run.files(TABLE)
        assert run.replace(TABLE, rows.where("site = 's1.org' AND number <> 7"), sites=["s1.org"], base=first) == 14
        assert run.files(TABLE).rows_by_site() == {"s0.org": 15, "s1.org": 14}
    snapshot = snapshot_of(lake, "r1")
    found = {row["number"]: row["halves"] for row in snapshot.read(TABLE).collect()}
    assert found == {number: [number / 2] for number in range(30) if number != 7}
    files = {file.path: file.bytes for file in (*first.files, *snapshot.files(TABLE).files)}
    assert lake.objects.sizes(f"{TABLES}/") == files
