from cqa_spark.spark.python_daemon import without_archives


def test_an_import_path_keeps_its_folders_in_order() -> None:
    path = ["", "/spark/python/lib/pyspark.zip", "/spark/jars/spark-core_2.12-3.5.8.jar", "/code", "/site-packages"]
    assert without_archives(path) == ["", "/code", "/site-packages"]
