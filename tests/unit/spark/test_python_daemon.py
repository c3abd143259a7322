import importlib.util

import pytest

from cqa_spark.spark.python_daemon import IMPORTED_BY_TASKS, ErrorsOfWorkers, without_archives


def test_an_import_path_keeps_its_folders_in_order() -> None:
    path = ["", "/spark/python/lib/pyspark.zip", "/spark/jars/spark-core_2.12-3.5.8.jar", "/code", "/site-packages"]
    assert without_archives(path) == ["", "/code", "/site-packages"]


def test_workers_are_copies_of_a_process_with_the_modules_of_tasks() -> None:
    for module in IMPORTED_BY_TASKS:
        assert importlib.util.find_spec(module), module


@pytest.mark.parametrize(("error", "printed"), [(EOFError(), ""), (ValueError("no"), "ValueError: no\n")])
def test_the_end_of_a_workers_input_is_not_printed(
    capsys: pytest.CaptureFixture[str], error: Exception, printed: str
) -> None:
    try:
        raise error
    except Exception:
        ErrorsOfWorkers().print_exc()
    assert capsys.readouterr().err.rpartition("^^\n")[2].splitlines()[-1:] == printed.splitlines()
