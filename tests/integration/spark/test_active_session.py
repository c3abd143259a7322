"""A job that runs where Spark runs already."""

from pyspark.sql import SparkSession

from cqa_spark.spark.session import spark_session


def test_a_job_changes_only_what_it_names(spark: SparkSession) -> None:
    def settings() -> tuple[str | None, str | None]:
        return spark.conf.get("spark.sql.shuffle.partitions"), spark.conf.get("spark.sql.adaptive.enabled")

    spark_session("first", partitions=3)
    assert settings() == ("3", "false")
    spark_session("second")
    assert settings() == ("1", "false")
    spark_session("third", compile_plans=False)
    assert settings() == ("1", "false"), "the user's number, for small inputs, too"
    spark_session("fourth", compile_plans=False, partitions=3)
    assert settings() == ("3", "false")
    spark_session("fifth")
