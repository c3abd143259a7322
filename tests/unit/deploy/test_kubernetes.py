"""The Kubernetes manifest, against the models that the Spark operator's authors generate from its schema."""

import copy
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from kubeflow_spark_api.models import SparkV1beta2ScheduledSparkApplication
from pydantic import ValidationError

from cqa_spark.spark.session import read_settings

REPOSITORY = Path(__file__).resolve().parents[3]
FOLDER = REPOSITORY / "deploy" / "kubernetes"


@pytest.fixture
def manifest() -> dict:
    return yaml.safe_load((FOLDER / "nightly.yaml").read_text(encoding="utf-8"))


def as_the_operator_reads(manifest: dict) -> dict:
    return SparkV1beta2ScheduledSparkApplication.from_dict(manifest).to_dict()


def pinned(package: str) -> str:
    lock = (REPOSITORY / "locks" / "base.txt").read_text(encoding="utf-8")
    found = re.search(rf"^{package}==([\d.]+)", lock, re.MULTILINE)
    assert found
    return found[1]


def test_the_operator_knows_every_field_by_name_and_type(manifest: dict) -> None:
    assert (manifest["apiVersion"], manifest["kind"]) == ("sparkoperator.k8s.io/v1beta2", "ScheduledSparkApplication")
    assert as_the_operator_reads(manifest) == manifest


def test_a_misspelt_field_and_a_wrong_type_would_be_found(manifest: dict) -> None:
    misspelt = copy.deepcopy(manifest)
    misspelt["spec"]["template"]["executor"]["instance"] = 4
    assert as_the_operator_reads(misspelt) != misspelt
    manifest["spec"]["template"]["executor"]["instances"] = "4"
    with pytest.raises(ValidationError, match="instances"):
        as_the_operator_reads(manifest)


def test_one_night_at_a_time_and_none_is_repeated(manifest: dict) -> None:
    spec = manifest["spec"]
    assert (spec["schedule"], spec["timeZone"], spec["concurrencyPolicy"]) == ("15 2 * * *", "UTC", "Forbid")
    assert spec["template"]["restartPolicy"] == {"type": "Never"}


def test_the_job_is_that_of_the_project(manifest: dict) -> None:
    application = manifest["spec"]["template"]
    assert (application["type"], application["mode"]) == ("Python", "cluster")
    assert application["mainApplicationFile"] == "local:///opt/cqa-spark/jobs/cqa.py"
    dry_run = [sys.executable, REPOSITORY / "jobs/cqa.py", *application["arguments"], "--dry-run"]
    answer = subprocess.run(dry_run, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert "#   s3a://dumps/beer.stackexchange.com/" in answer.stdout


def test_manifest_and_image_name_the_pinned_spark(manifest: dict) -> None:
    assert manifest["spec"]["template"]["sparkVersion"] == pinned("pyspark")
    assert f"FROM apache/spark:{pinned('pyspark')}-" in (FOLDER / "Dockerfile").read_text(encoding="utf-8")


def test_settings_are_those_of_the_project_and_executors_stay(manifest: dict) -> None:
    application = manifest["spec"]["template"]
    project = read_settings(REPOSITORY / "conf/spark/common.conf") | read_settings(
        REPOSITORY / "conf/spark/cluster.conf"
    )
    driver = application["driver"]
    of_driver = {"spark.driver.memory": driver["memory"], "spark.driver.cores": str(driver["cores"])}
    project = {name: value for name, value in project.items() if not name.startswith("spark.yarn.")}
    assert application["sparkConf"] | of_driver == project
    assert application["sparkConf"]["spark.dynamicAllocation.enabled"] == "false"
    assert "dynamicAllocation" not in application
    assert application["executor"]["instances"] == 4
