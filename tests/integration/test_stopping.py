"""Jobs that are asked to stop, each as its own process: what they clean up, and how they end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import KEY, LeaseState
from cqa_spark.lake.run_log import RunLog
from cqa_spark.synth.qatar_living import write_sample

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 300
ENDLESS_JOB = """
import sys
from cqa_spark import cli
from cqa_spark.process import signals
from cqa_spark.steps import ingest

signals.CLEANUP_SECONDS = 300

def endless(step, run, counts):
    print("begun", run.lake.spark._jvm.java.lang.ProcessHandle.current().pid(), flush=True)
    run.lake.spark.range(10**15).selectExpr("sum(hash(id))").collect()

ingest.Ingest.execute = endless
sys.exit(cli.main(sys.argv[1:]))
"""


@contextmanager
def process(*command: str | Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A process in a group of its own, as schedulers start it, with its output and errors in one."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, env=environment, text=True, start_new_session=True, **output) as started:  # type: ignore[call-overload]
        try:
            yield started
        finally:
            if has_processes(started.pid):
                os.killpg(started.pid, signal.SIGKILL)


def has_processes(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_line(started: subprocess.Popen[str], beginning: str) -> str:
    assert started.stdout is not None
    said = []
    for line in started.stdout:
        said.append(line)
        if line.startswith(beginning):
            return line
    pytest.fail("".join(said))


def wait_for_file(path: Path) -> None:
    for _ in range(PATIENCE_SECONDS * 10):
        if path.exists():
            return
        time.sleep(0.1)
    pytest.fail(f"there is no {path}")


def rest(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.read()


def ingest(folder: Path) -> list[str]:
    sample = write_sample(folder / "sample", threads=3, dev_threads=1, seed=5)
    small = ["--spark.driver-memory", "1g", "--no-spark.compile-plans"]
    return ["ingest", "--lake", str(folder / "lake"), "--run-id", "r1", "--train", str(sample.train), *small]


def require_cleaned_up(spark: SparkSession, folder: Path, said: str, name: str) -> None:
    lake = Lake(spark, str(folder / "lake"))
    # A stage that takes long on a slow machine prints its progress.
    assert [line for line in said.splitlines() if not line.startswith("  … ")] == [
        f"cqa: stopped by {name}; run r1 is recorded as stopped; the lease of {lake.root} is released; "
        "the published run is complete and readable"
    ]
    records = RunLog(lake.objects).records("r1")
    assert [record.status for record in records] == ["running", "stopped"]
    assert records[-1].message == f"stopped by {name}"
    assert lease(lake).is_released


def statuses(lake: Lake) -> list[str]:
    return [record.status for record in RunLog(lake.objects).records("r1")]


def lease(lake: Lake) -> LeaseState:
    stored = lake.objects.read(KEY)
    assert stored is not None
    return LeaseState.model_validate_json(stored.data)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), pytest.param(signal.SIGINT, 130, marks=pytest.mark.more)]
)
def test_a_long_spark_job_stops(spark: SparkSession, tmp_path: Path, number: signal.Signals, code: int) -> None:
    """The signal goes to all processes of the group, Java among them."""
    with process(sys.executable, "-c", ENDLESS_JOB, *ingest(tmp_path)) as started:
        wait_for_line(started, "begun")
        os.killpg(started.pid, number)
        said = rest(started)
        assert started.wait() == code
    require_cleaned_up(spark, tmp_path, said, number.name)


@pytest.mark.more
def test_spark_submit_hands_the_signal_on(spark: SparkSession, tmp_path: Path) -> None:
    """The signal goes to the script alone, while the tables are written."""
    command = [REPOSITORY / "spark-submit.sh", "--driver-memory", "1g", "--conf", "spark.ui.enabled=false"]
    with process(*command, *ingest(tmp_path)) as started:
        wait_for_line(started, "step ")
        wait_for_file(tmp_path / "lake" / "tables" / "posts")
        started.send_signal(signal.SIGTERM)
        said = rest(started)
        assert started.wait() == 143
    require_cleaned_up(spark, tmp_path, said, "SIGTERM")


def test_a_run_whose_java_died_is_recorded_as_failed(spark: SparkSession, tmp_path: Path) -> None:
    """The run log and the lease need no Java."""
    with process(sys.executable, "-c", ENDLESS_JOB, *ingest(tmp_path)) as started:
        java = int(wait_for_line(started, "begun").split()[1])
        os.kill(java, signal.SIGKILL)
        said = rest(started)
        assert started.wait() == 4
    assert "cqa: Spark's Java process has ended" in said
    assert statuses(Lake(spark, str(tmp_path / "lake"))) == ["running", "failed"]
    assert lease(Lake(spark, str(tmp_path / "lake"))).is_released


def test_a_job_stops_while_spark_starts(spark: SparkSession, tmp_path: Path) -> None:
    """Java's place is taken by a script that begins and gets no further; it ends with the job."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    began = tmp_path / "began"
    version = 'openjdk version "17.0.1"'
    answers = f"""case "$*" in
        -version) echo '{version}' >&2; exit ;;
        *spark.launcher.Main*) printf '\\0\\n%s\\0' "$0"; exit ;;  # the command that becomes Spark
    esac"""
    java.write_text(f"#!/bin/sh\n{answers}\necho $$ > '{began}'\nexec sleep 600\n")
    java.chmod(0o755)
    command = [sys.executable, "-m", "cqa_spark.cli", *ingest(tmp_path)]
    with process(*command, JAVA_HOME=str(tmp_path / "java")) as started:
        wait_for_file(began)
        started.send_signal(signal.SIGTERM)
        said = rest(started)
        assert started.wait() == 143
    assert not Path("/proc", began.read_text().strip()).exists()
    lake = Lake(spark, str(tmp_path / "lake"))
    assert f"cqa: stopped by SIGTERM; run r1 is recorded as stopped; the lease of {lake.root} is released; " in said
    assert "Traceback" not in said
    assert statuses(lake) == ["running", "stopped"]
    assert lease(lake).is_released
