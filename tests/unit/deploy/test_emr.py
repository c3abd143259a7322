"""The commands for Amazon EMR, as far as they can be seen without it: what would be run."""

import json

import pytest


def test_a_cluster_installs_the_project_and_the_users_options_come_last(resolved) -> None:
    assert resolved("emr/create-cluster", "s3://bucket/cqa/", "--instance-count", "3") == [
        *("aws", "emr", "create-cluster", "--name", "cqa-spark", "--release-label", "emr-7.13.0"),
        *("--applications", "Name=Hadoop", "--use-default-roles", "--instance-type", "m6id.xlarge"),
        *("--instance-count", "5", "--bootstrap-actions"),
        "Path=s3://bucket/cqa/install-node,Args=[s3://bucket/cqa/cqa-spark.tar.gz]",
        *("--auto-termination-policy", "IdleTimeout=3600", "--instance-count", "3"),
    ]


def test_a_job_is_a_step_that_calls_spark_submit_on_the_primary_node(resolved) -> None:
    *command, steps = resolved("emr/submit", "j-1", "--num-executors", "4", "nightly", "--input", 'a "b", \\c')
    assert command == ["aws", "emr", "add-steps", "--cluster-id", "j-1", "--steps"]
    assert json.loads(steps) == [
        {
            "Type": "CUSTOM_JAR",
            "Name": "cqa-spark",
            "ActionOnFailure": "CONTINUE",
            "Jar": "command-runner.jar",
            "Args": [
                *("env", "HADOOP_CONF_DIR=/etc/hadoop/conf", "/opt/cqa-spark/spark-submit.sh", "--master", "yarn"),
                *("--conf", "spark.hadoop.io.compression.codecs=", "--num-executors", "4"),
                *("nightly", "--input", 'a "b", \\c'),
            ],
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("create-cluster",), "usage: deploy/emr/create-cluster"),
        (("create-cluster", "bucket"), "usage: deploy/emr/create-cluster"),
        (("submit", "nightly"), "usage: deploy/emr/submit"),
        (("submit", "j-1", "walk"), "unknown command 'walk'"),
        (("submit", "j-1", "--lake", "x", "nightly"), "unknown option --lake"),
    ],
)
def test_mistakes_are_found_before_anything_is_sent(refused, arguments: tuple[str, ...], problem: str) -> None:
    script, *rest = arguments
    assert problem in refused(f"emr/{script}", *rest)
