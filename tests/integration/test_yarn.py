"""A real YARN with a real HDFS on this machine: what it ranks, in both deploy modes, is what local mode ranks."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from uuid import uuid4

import pyspark
import pytest
from hadoop import Hadoop, hadoop
from pyspark.sql import Row, SparkSession
from requirements import lacking
from s3_server import S3Server, reach
from small_runs import finished, held, lake_at
from standalone import SHORT_LIVED

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import KEY, LeaseState
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import published_runs, published_snapshot
from cqa_spark.object_store.locations import send
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.synth.stackexchange.dump import write_dump

pytest.importorskip("hdfs_native", reason="needs the extra hdfs")
pytestmark = [pytest.mark.more, pytest.mark.slow(minutes=10)]  # all of them together

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENT = REPOSITORY / "build" / "environment.tar.gz"
PATIENCE_SECONDS = 600
MEMORY = ["--executor-cores", "2", "--executor-memory", "1g", "--driver-memory", "1g"]
SIZE = ["--num-executors", "1", *MEMORY]
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    # Spark's own jars are on every node of this cluster: they need not travel.
    "spark.yarn.jars": f"local:{Path(pyspark.__file__).parent}/jars/*",
}
NIGHT = ["nightly", "--run-id", "r", "--no-tracking.enabled"]


@dataclass(frozen=True)
class Yarn:
    """The cluster, and what its tests compare with.

    Attributes:
        hadoop: HDFS and YARN.
        dump: a local folder.
        lake: the lake of a night in local mode.
        environment: the packed Python in HDFS, which the node unpacks once for all applications.
    """

    hadoop: Hadoop
    dump: Path
    lake: Path
    environment: str

    @property
    def settings(self) -> list[str]:
        """Options of spark-submit."""
        return [option for name, value in SETTINGS.items() for option in ("--conf", f"{name}={value}")]

    def submit(self, mode: str, *arguments: str, options: Sequence[str] = SIZE) -> subprocess.Popen[str]:
        """Start a job in a process group of its own, its output and errors in one."""
        shipped = ["--environment", self.environment] if mode == "cluster" else []
        command = [REPOSITORY / "spark-submit.sh", "--master", "yarn", "--deploy-mode", mode]
        command += [*self.settings, *shipped, *options]
        environment = os.environ | SHORT_LIVED | {"HADOOP_CONF_DIR": str(self.hadoop.conf)}
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen([*command, *arguments], env=environment, text=True, start_new_session=True, **output)  # type: ignore[call-overload]

    def finished(self, mode: str, *arguments: str, options: Sequence[str] = SIZE) -> tuple[int, str]:
        """The exit code of a job, and what it said."""
        with self.submit(mode, *arguments, options=options) as started:
            said, _ = started.communicate()
        return started.returncode, said

    def attempts(self) -> set[int]:
        """The numbers of the attempts to run an application, of all applications so far."""
        containers = self.hadoop.folder.glob("target/test/data/*/yarn-*/*-logDir-nm-*/application_*/container_*")
        return {int(container.name.split("_")[3]) for container in containers}

    def kill(self) -> None:
        """Kill the application that runs."""
        [application] = re.findall(r"^application_\d+_\d+", self.hadoop.yarn("-list"), re.MULTILINE)
        self.hadoop.yarn("-kill", application)


@pytest.fixture(scope="module")
def yarn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    """A node with 8 GB, and a night in local mode."""
    folder = tmp_path_factory.mktemp("yarn")
    if not ENVIRONMENT.exists():
        lacking("hadoop", f"no {ENVIRONMENT.relative_to(REPOSITORY)}: run `make environment`")
    dump = write_dump(folder, site="yarn.example.org", threads=60, seed=3).folder
    assert main([*NIGHT, "--input", str(dump), "--lake", str(folder / "lake")]) == 0
    (folder / "hadoop").mkdir()
    with hadoop(folder / "hadoop", nodes=1, megabytes=8192, cores=6) as started:
        environment = f"{started.hdfs}/shared/{ENVIRONMENT.name}"
        send(ENVIRONMENT, environment, ObjectStorageSettings())
        yield Yarn(started, dump, folder / "lake", environment)


def rows(spark: SparkSession, lake: str, storage: ObjectStorageSettings | None = None) -> dict[str, list[Row]]:
    """Rows of the published run, whatever its name and wherever its input was."""
    snapshot = published_snapshot(Lake(spark, lake, storage or ObjectStorageSettings()))
    tables = (POSTS, EXAMPLES, RANKINGS)
    return {
        table.name: snapshot.read(table).orderBy(*table.key).drop("source_file", "run_id").collect() for table in tables
    }


def is_held(lake: Lake) -> bool:
    stored = lake.objects.read(KEY)
    return stored is not None and not LeaseState.model_validate_json(stored.data).is_free()


def test_the_step_of_emr_is_a_night_in_client_mode_with_a_lake_on_s3(
    spark: SparkSession, yarn: Yarn, s3: S3Server
) -> None:
    """A path is one of this machine, although HDFS is the cluster's default."""
    night = [*NIGHT, "--input", str(yarn.dump), "--lake", s3.location("lake"), *s3.flags]
    submit = [REPOSITORY / "deploy" / "emr" / "submit", "--dry-run", "j-1", *SIZE, *yarn.settings, *night]
    printed = subprocess.run(submit, capture_output=True, text=True, check=True).stdout
    [step] = json.loads(shlex.split(printed)[-1])
    here = {"/opt/cqa-spark": str(REPOSITORY), "/etc/hadoop/conf": str(yarn.hadoop.conf)}
    command = [reduce(lambda word, place: word.replace(*place), here.items(), word) for word in step["Args"]]
    done = subprocess.run(command, env=os.environ | SHORT_LIVED, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reach(spark, s3)
    assert rows(spark, s3.location("lake"), s3.settings) == rows(spark, str(yarn.lake))


def test_a_night_in_cluster_mode_on_hdfs_where_nothing_is_installed(spark: SparkSession, yarn: Yarn) -> None:
    """The input, the lake and the report are in HDFS; Python, package, settings and jars travel."""
    place = f"{yarn.hadoop.hdfs}/{uuid4().hex}"
    send(yarn.dump, f"{place}/{yarn.dump.name}", ObjectStorageSettings())
    night = [*NIGHT, "--input", f"{place}/{yarn.dump.name}", "--lake", f"{place}/lake"]
    code, said = yarn.finished("cluster", *night, options=[*SIZE, "--environment", str(ENVIRONMENT)])
    assert code == 0, said
    assert rows(spark, f"{place}/lake") == rows(spark, str(yarn.lake))
    assert Lake(spark, f"{place}/lake").objects.read("report.html") is not None


def test_executors_come_and_go_in_a_night_that_does_not_train(spark: SparkSession, yarn: Yarn, tmp_path: Path) -> None:
    """Without their number, YARN gives them to tasks that wait, and has them back when they idle. A lake on HDFS."""
    (events := tmp_path / "events").mkdir()
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events}",
        "spark.dynamicAllocation.maxExecutors": "2",
        "spark.dynamicAllocation.executorIdleTimeout": "1s",
        "spark.dynamicAllocation.shuffleTracking.timeout": "1s",
    }
    options = [*MEMORY, *(option for name, value in settings.items() for option in ("--conf", f"{name}={value}"))]
    lake = f"{yarn.hadoop.hdfs}/{uuid4().hex}/lake"
    code, said = yarn.finished("client", *NIGHT, "--input", str(yarn.dump), "--lake", lake, options=options)
    assert code == 0, said
    assert rows(spark, lake) == rows(spark, str(yarn.lake))
    (log,) = events.iterdir()
    kinds = [json.loads(line)["Event"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert kinds.count("SparkListenerExecutorAdded") > 1
    assert kinds.count("SparkListenerExecutorRemoved") > 0


def test_every_exit_code_comes_back_from_a_driver_in_the_cluster(yarn: Yarn, tmp_path: Path) -> None:
    """But those of signals, which no driver in a cluster gets from here. No job that fails runs again."""
    refused = shutil.copytree(yarn.dump, tmp_path / yarn.dump.name)
    posts = (refused / "Posts.xml").read_text(encoding="utf-8")
    (refused / "Posts.xml").write_text(posts.replace(' Id="', ' Id="x', 1), encoding="utf-8")
    send(refused, f"{yarn.hadoop.hdfs}/refused/{refused.name}", ObjectStorageSettings())
    lake, damaged = (lake_at(f"{yarn.hadoop.hdfs}/{uuid4().hex}/lake") for _ in range(2))
    for each in (lake, damaged):
        with held(each) as leased:
            finished(leased, "r", a="xy")
            publish(leased, "r")
    damaged.objects.put("published.json", b"no JSON")
    nowhere = ["--object-storage.attempts", "1", "--object-storage.timeout", "1"]
    commands = {
        0: ["runs", "list", "--lake", lake.root],
        2: [*NIGHT, "--input", lake.root, "--lake", lake.root, "--system", "none"],
        3: [*NIGHT, "--input", f"{lake.root}/none", "--lake", lake.root],
        4: ["runs", "list", "--lake", "hdfs://127.0.0.1:1/lake", *nowhere],
        5: ["runs", "list", "--lake", damaged.root],
        6: ["runs", "gc", "--lake", lake.root],
        7: [
            *NIGHT, "--input", f"{yarn.hadoop.hdfs}/refused/{refused.name}", "--lake", f"{yarn.hadoop.hdfs}/checked",
            "--checks.max-quarantine-share", "0",
        ],
    }  # fmt: skip
    with held(lake):
        for expected, command in commands.items():
            code, said = yarn.finished("cluster", *command)
            assert code == expected, said
    assert yarn.attempts() == {1}


@contextmanager
def running(yarn: Yarn, mode: str, lake: Lake, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A night that has begun to write its lake."""
    with yarn.submit(mode, *arguments) as started:
        deadline = time.monotonic() + PATIENCE_SECONDS
        try:
            while not list(lake.objects.keys("tables/")):
                assert started.poll() is None
                assert time.monotonic() < deadline
                time.sleep(1)
            yield started
        finally:
            if started.poll() is None:
                os.killpg(started.pid, signal.SIGKILL)


def test_a_client_that_is_asked_to_stop_releases_the_lake(spark: SparkSession, yarn: Yarn) -> None:
    place = f"{yarn.hadoop.hdfs}/{uuid4().hex}"
    lake = Lake(spark, f"{place}/lake")
    with running(yarn, "client", lake, *NIGHT, "--input", str(yarn.dump), "--lake", lake.root) as started:
        started.send_signal(signal.SIGTERM)
        said, _ = started.communicate()
    assert started.returncode == 143, said
    assert not is_held(lake)
    assert published_runs(lake) == ()
    assert [record.status for record in RunLog(lake.objects).records("r")] == ["running", "stopped"]


def test_a_client_whose_application_is_killed_releases_the_lake(spark: SparkSession, yarn: Yarn) -> None:
    place = f"{yarn.hadoop.hdfs}/{uuid4().hex}"
    lake = Lake(spark, f"{place}/lake")
    with running(yarn, "client", lake, *NIGHT, "--input", str(yarn.dump), "--lake", lake.root) as started:
        yarn.kill()
        said, _ = started.communicate()
    assert started.returncode == 4, said
    assert not is_held(lake)
    assert published_runs(lake) == ()


def test_the_lake_of_a_driver_that_was_killed_in_the_cluster_is_free_after_two_minutes(
    spark: SparkSession, yarn: Yarn
) -> None:
    place = f"{yarn.hadoop.hdfs}/{uuid4().hex}"
    lake = Lake(spark, f"{place}/lake")
    send(yarn.dump, f"{place}/{yarn.dump.name}", ObjectStorageSettings())
    night = [*NIGHT, "--input", f"{place}/{yarn.dump.name}", "--lake", lake.root]
    with running(yarn, "cluster", lake, *night) as started:
        yarn.kill()
        said, _ = started.communicate()
    assert started.returncode != 0, said
    assert published_runs(lake) == ()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (code := main([*night[:2], "again", *night[3:]])) == 6:
        assert time.monotonic() < deadline
        time.sleep(10)
    assert code == 0
    [published] = published_runs(lake)
    assert published.run_id == "again"
    assert rows(spark, lake.root) == rows(spark, str(yarn.lake))
