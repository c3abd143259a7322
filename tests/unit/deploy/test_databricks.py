"""The job of Databricks: its fields by the service's own models, and the script that it runs."""

import copy
import runpy
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from cqa_spark.cli import main

jobs = pytest.importorskip("databricks.sdk.service.jobs", reason="needs Databricks' SDK, which MLflow brings")

FOLDER = Path(__file__).resolve().parents[3] / "deploy" / "databricks"


@pytest.fixture
def bundle() -> dict[str, Any]:
    return yaml.safe_load((FOLDER / "databricks.yml").read_text(encoding="utf-8"))


@pytest.fixture
def job(bundle: dict[str, Any]) -> dict[str, Any]:
    assert {*bundle} == {"bundle", "variables", "targets", "resources"}
    assert {*bundle["resources"]} == {"jobs"}
    return bundle["resources"]["jobs"]["cqa_nightly"]


def as_the_service_reads(job: dict[str, Any]) -> Any:
    return jobs.JobSettings.from_dict(job).as_dict()


def test_the_service_knows_every_field(job: dict[str, Any]) -> None:
    assert as_the_service_reads(job) == job


@pytest.mark.parametrize(
    "wrong", [{"python_fil": "job.py"}, {"min_retry_interval": 1}, {"new_cluster": {"data_security_mode": "ALONE"}}]
)
def test_a_misspelt_field_or_mode_would_be_found(job: dict[str, Any], wrong: dict[str, Any]) -> None:
    misspelt = copy.deepcopy(job)
    misspelt["tasks"][0] |= wrong
    assert as_the_service_reads(misspelt) != misspelt


def test_variables_and_files_exist_and_one_night_runs_at_a_time(bundle: dict[str, Any], job: dict[str, Any]) -> None:
    [task] = job["tasks"]
    assert (FOLDER / task["spark_python_task"]["python_file"]).is_file()
    text = (FOLDER / "databricks.yml").read_text(encoding="utf-8")
    assert all(f"${{var.{name}}}" in text for name in bundle["variables"])
    assert (job["max_concurrent_runs"], task.get("max_retries", 0)) == (1, 0)
    assert job["schedule"] == {"quartz_cron_expression": "0 15 2 * * ?", "timezone_id": "UTC"}


def test_its_parameters_are_a_command(job: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*job["tasks"][0]["spark_python_task"]["parameters"], "--dry-run"]) == 0
    assert "#   s3a://dumps/beer.stackexchange.com/" in capsys.readouterr().out


@pytest.mark.parametrize("code", [0, 7])
def test_the_script_hands_on_arguments_and_the_exit_code(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    calls: list[tuple[list[str], dict[str, str]]] = []

    def call(command: list[str], env: dict[str, str]) -> int:
        calls.append((command, env))
        return code

    monkeypatch.setattr(subprocess, "call", call)
    monkeypatch.setattr(sys, "argv", ["job.py", "doctor", "--lake", "x"])
    monkeypatch.setenv("SPARK_HOME", "/databricks/spark")
    monkeypatch.setenv("PYSPARK_PYTHON", "/databricks/python/bin/python")
    monkeypatch.setenv("JAVA_HOME", "/usr/lib/jvm/zulu17-ca-amd64")
    with pytest.raises(SystemExit, match="7") if code else nullcontext():
        runpy.run_path(str(FOLDER / "job.py"))
    [(command, environment)] = calls
    assert command == ["/opt/cqa-spark/.venv/bin/cqa", "doctor", "--lake", "x"]
    assert "JAVA_HOME" in environment
    assert not {"SPARK_HOME", "PYSPARK_PYTHON"} & {*environment}
