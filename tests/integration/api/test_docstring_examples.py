"""Examples in docstrings that start Spark."""

from pathlib import Path

import pytest
from docstring_examples import run_examples
from pyspark.sql import SparkSession


@pytest.mark.parametrize("module", ["cqa_spark.api.estimators"])
def test_examples_print_what_they_show(
    module: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(module, spark=spark) > 0
