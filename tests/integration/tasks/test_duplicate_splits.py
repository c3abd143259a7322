"""Questions of duplicates are split by time, without a task that sorts all questions of a site."""

from datetime import datetime, timedelta

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.tasks.duplicate.examples import MEASURED, TRAINING, split_queries


def test_the_first_half_by_time_is_train_and_the_next_quarter_dev(spark: SparkSession) -> None:
    start = datetime(2020, 1, 1)
    # Three questions a day, in an order that is not that of their numbers; two have no time, two the same.
    hours = {number: 8 * (number * 7 % 40) for number in range(3, 41)} | {39: 8}
    asked = [("a", str(number), start + timedelta(hours=hour)) for number, hour in hours.items()]
    rows = [*asked, ("a", "1", None), ("a", "2", None), ("alone", "1", start)]
    posts = POSTS.complete(
        spark.createDataFrame(rows, "site string, post_id string, created_at timestamp")
        .withColumns({name: F.lit("x") for name in ("thread_id", "split", "source_file")})
        .withColumn("post_type", F.lit("question"))
    )  # fmt: skip
    pairs = spark.createDataFrame([], "site string, query_id string, candidate_id string, cluster string")
    found = {(row.site, row.query_id): row.split for row in split_queries(posts, pairs, annotated_only=False).collect()}
    in_time = Window.partitionBy("site").orderBy(F.col("created_at").asc_nulls_first(), F.col("post_id").cast("int"))
    placed = posts.select("site", "post_id", F.percent_rank().over(in_time).alias("place")).collect()
    expected = {
        (site, number): "train" if place < TRAINING else "dev" if place < MEASURED else "test"
        for site, number, place in placed
    }
    assert found == expected
    assert [*found.values()].count("train") == 21  # 20 of 40, and the only question of the other site
