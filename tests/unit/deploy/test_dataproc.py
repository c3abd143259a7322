"""The commands for Google's Dataproc, as far as they can be seen without it: what would be run."""

from pathlib import Path

import pytest

from cqa_spark.spark.session import read_settings

REPOSITORY = Path(__file__).resolve().parents[3]


def test_a_cluster_installs_the_project_and_the_users_options_come_last(resolved) -> None:
    assert resolved("dataproc/create-cluster", "rankings", "europe-west1", "gs://bucket/cqa/", "--num-workers=8") == [
        *("gcloud", "dataproc", "clusters", "create", "rankings", "--region", "europe-west1"),
        *("--image-version", "2.3-debian12", "--num-workers", "4", "--worker-machine-type", "n2-standard-4"),
        *("--initialization-actions", "gs://bucket/cqa/install-node"),
        *("--metadata", "cqa-spark-bundle=gs://bucket/cqa/cqa-spark.tar.gz", "--max-idle", "1h", "--num-workers=8"),
    ]


def test_a_job_runs_with_what_the_nodes_have(resolved) -> None:
    command = resolved("dataproc/submit", "rankings", "europe-west1", "nightly", "--input", "a b", "--conf", "x=y")
    jars = ",".join(sorted(f"file:///opt/cqa-spark/.jars/{jar.name}" for jar in (REPOSITORY / ".jars").glob("*.jar")))
    settings = command.index("--properties") + 1
    assert [*command[:settings], *command[settings + 1 :]] == [
        *("gcloud", "dataproc", "jobs", "submit", "pyspark", "file:///opt/cqa-spark/jobs/cqa.py"),
        *("--cluster", "rankings", "--region", "europe-west1", "--jars", jars, "--properties"),
        *("--", "nightly", "--input", "a b", "--conf", "x=y"),
    ]


def test_settings_are_those_of_the_project_and_the_users_win(resolved) -> None:
    options = ("--conf", "spark.driver.memory=9g", "--conf", "spark.executor.instances=4")
    command = resolved("dataproc/submit", "rankings", "europe-west1", *options, "nightly")
    separator, settings = command[command.index("--properties") + 1].removeprefix("^").split("^", maxsplit=1)
    python = "/opt/cqa-spark/.venv/bin/python"
    assert dict(setting.split("=", maxsplit=1) for setting in settings.split(separator)) == {
        **read_settings(REPOSITORY / "conf/spark/common.conf"),
        **read_settings(REPOSITORY / "conf/spark/cluster.conf"),
        "spark.pyspark.python": python,
        "spark.pyspark.driver.python": python,
        "spark.driver.extraJavaOptions": "-Dlog4j2.configurationFile=file:/opt/cqa-spark/conf/spark/log4j2.properties",
        "spark.driver.memory": "9g",
        "spark.executor.instances": "4",
    }


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("create-cluster", "rankings"), "usage: deploy/dataproc/create-cluster"),
        (("create-cluster", "rankings", "europe-west1", "bucket"), "usage: deploy/dataproc/create-cluster"),
        (("submit", "rankings", "europe-west1"), "usage: deploy/dataproc/submit"),
        (("submit", "rankings", "europe-west1", "walk"), "unknown command 'walk'"),
        (("submit", "rankings", "europe-west1", "--conf", "nightly"), "--conf needs NAME=VALUE"),
    ],
)
def test_mistakes_are_found_before_anything_is_sent(refused, arguments: tuple[str, ...], problem: str) -> None:
    script, *rest = arguments
    assert problem in refused(f"dataproc/{script}", *rest)
