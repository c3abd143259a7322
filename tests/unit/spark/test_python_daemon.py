import importlib.util

from cqa_spark.spark.python_daemon import IMPORTED_BY_TASKS, without_archives


def test_an_import_path_keeps_its_folders_in_order() -> None:
    path = ["", "/spark/python/lib/pyspark.zip", "/spark/jars/spark-core_2.12-3.5.8.jar", "/code", "/site-packages"]
    assert without_archives(path) == ["", "/code", "/site-packages"]


def test_workers_are_copies_of_a_process_with_the_modules_of_tasks() -> None:
    for module in IMPORTED_BY_TASKS:
        assert importlib.util.find_spec(module), module
