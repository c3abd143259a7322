"""A real cluster on this machine: what it ranks is what local mode ranks, also where it loses workers on the way."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pyspark
import pytest
import yaml
from pyspark.sql import DataFrame, Row, SparkSession

from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import JUDGMENTS, POSTS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.synth.qatar_living import write_sample
from cqa_spark.synth.stackexchange.dump import write_dump

REPOSITORY = Path(__file__).resolve().parents[2]
SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
HERE = "127.0.0.1"
PATIENCE_SECONDS = 60
SYSTEMS = ["given_order", "length", "boosted_a"]
INTERPRETED = "--no-spark.compile-plans"  # half the time, where compiled plans are not what is tested


@dataclass(frozen=True)
class Cluster:
    """A standalone master and its workers, of one core each."""

    url: str
    workers: Sequence[subprocess.Popen[bytes]]


@contextmanager
def standalone_cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Start a cluster that ends with the block."""
    port, page = free_port(), free_port()
    url = f"spark://{HERE}:{port}"
    with ExitStack() as running:
        running.enter_context(
            daemon(folder / "master.log", "master.Master", "--port", str(port), "--webui-port", str(page))
        )
        found = []
        for number in range(workers):
            size = ("--cores", "1", "--memory", "1g", "--webui-port", "0")
            work = ("--work-dir", str(folder / f"worker{number}"))
            worker = daemon(folder / f"worker{number}.log", "worker.Worker", *size, *work, url)
            found.append(running.enter_context(worker))
        wait_for_workers(f"http://{HERE}:{page}/json/", workers, folder)
        yield Cluster(url, found)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a cluster with two workers."""
    with standalone_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as found:
        yield found.url


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return probe.getsockname()[1]


@contextmanager
def daemon(log: Path, name: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    variables = {"SPARK_LOCAL_IP": HERE, "SPARK_DAEMON_MEMORY": "512m", "PYSPARK_PYTHON": sys.executable}
    command = [str(SPARK_CLASS), f"org.apache.spark.deploy.{name}", "--host", HERE, *options]
    with (
        log.open("w") as output,
        subprocess.Popen(command, env=os.environ | variables, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()


def wait_for_workers(page: str, workers: int, logs: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            with urlopen(page) as answer:
                if json.load(answer)["aliveworkers"] == workers:
                    return
        except (URLError, ConnectionError):
            pass  # the master is still starting
        time.sleep(0.5)
    pytest.fail(f"the cluster did not start within {PATIENCE_SECONDS} s; its logs are in {logs}")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    write_sample(folder, threads=40, dev_threads=10, seed=7)
    return folder


@pytest.fixture(scope="module")
def expected(spark: SparkSession, work: Path) -> list[Row]:
    """What local mode ranks, by plans that are interpreted; on the whole cluster they are compiled."""
    with started([sys.executable, "-m", "cqa_spark.cli"], work, "local", INTERPRETED):
        pass
    found = rankings(spark, work / "local").collect()
    assert {row["system"] for row in found} == set(SYSTEMS)
    return found


@contextmanager
def started(command: list[str], work: Path, lake: str, *options: str) -> Iterator[Iterator[str]]:
    """Run the whole pipeline; yields what it says line by line, and waits until it has succeeded."""
    config = work / f"{lake}.yaml"
    settings = {
        "lake": str(work / lake),
        "run_id": "the-run",
        "inputs": {"train": str(work / "train.xml"), "dev": str(work / "dev.xml")},
        "systems": SYSTEMS,
        "tracking": {"enabled": False},
    }
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    said: list[str] = []

    def lines(process: subprocess.Popen[str]) -> Iterator[str]:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            yield line

    call = [*command, "run", "--config", str(config), *options]
    with subprocess.Popen(call, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        rest = lines(process)
        yield rest
        for _ in rest:
            pass
    assert process.returncode == 0, "".join(said)


def submit(cluster: str) -> list[str]:
    settings = {"spark.driver.host": HERE, "spark.sql.shuffle.partitions": "4", "spark.ui.enabled": "false"}
    options = [option for name, value in settings.items() for option in ("--conf", f"{name}={value}")]
    return [str(REPOSITORY / "spark-submit.sh"), "--master", cluster, *options]


def rankings(spark: SparkSession, lake: Path) -> DataFrame:
    return spark.read.format("delta").load(str(lake / RANKINGS.name)).orderBy(*RANKINGS.key)


@pytest.mark.slow
def test_a_cluster_ranks_as_local_mode_does(spark: SparkSession, cluster: str, work: Path, expected: list[Row]) -> None:
    with started(submit(cluster), work, "cluster"):
        pass
    assert rankings(spark, work / "cluster").collect() == expected


@pytest.mark.slow
def test_workers_that_die_while_it_trains_and_while_it_ranks(
    spark: SparkSession, tmp_path: Path, work: Path, expected: list[Row]
) -> None:
    with (
        standalone_cluster(tmp_path, workers=3) as cluster,
        started(submit(cluster.url), work, "bereft", INTERPRETED) as said,
    ):
        for worker, finished in zip(cluster.workers, ("features", "train"), strict=False):  # the step before
            assert any(line.startswith(finished) for line in said)
            worker.kill()
    assert rankings(spark, work / "bereft").collect() == expected


@pytest.mark.slow
def test_a_cluster_reads_dumps_as_local_mode_does(spark: SparkSession, cluster: str, tmp_path: Path) -> None:
    dump = write_dump(tmp_path, site="cluster.example.org", threads=40, seed=3).folder
    for command, lake in ((submit(cluster), "cluster"), ([sys.executable, "-m", "cqa_spark.cli"], "local")):
        ingest = ["ingest", "stackexchange", "--input", str(dump), "--lake", str(tmp_path / lake), "--run-id", "r"]
        ingest += ["--tables", "posts", "votes", "post_links"]  # those that judgments come from
        answer = subprocess.run([*command, *ingest], cwd=REPOSITORY, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stdout + answer.stderr
    for table in (POSTS, VOTES, JUDGMENTS, INGESTED_FILES, QUARANTINE):
        read, expected = (
            spark.read.format("delta").load(str(tmp_path / lake / table.name)).orderBy(*table.key).collect()
            for lake in ("cluster", "local")
        )
        assert read == expected
        assert bool(expected) == (table is not QUARANTINE)
