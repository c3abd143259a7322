"""A whole run with inputs and outputs in a bucket, as its own process: what it leaves, and what it keeps secret."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession
from s3_server import S3Server, reach, reading_only
from versitygw import ACCESS_KEY, SECRET_KEY

from cqa_spark.cli import main
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.object_store.locations import fetch, find_files, local_source, send
from cqa_spark.steps.predictions import write_predictions
from cqa_spark.synth.qatar_living import write_sample
from cqa_spark.systems.trained_system import TrainedSystem

SYSTEM = "tfidf"
TOKEN = "made-up-token-of-the-tests"
SECRET_SETTINGS = {
    "spark.executorEnv.AWS_ACCESS_KEY_ID": ACCESS_KEY,
    "spark.executorEnv.AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    "spark.executorEnv.MLFLOW_TRACKING_TOKEN": TOKEN,
    "spark.hadoop.fs.s3a.bucket.another.session.token": TOKEN,
}
"""As people hand credentials to executors."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class RemoteRun:
    """What a finished run left behind.

    Attributes:
        server: holds inputs and outputs.
        said: everything that the process printed, and the log of its events.
        local: the folder that it ran in.
    """

    server: S3Server
    said: str
    local: Path


@pytest.fixture(scope="module")
def remote_run(s3: S3Server, tmp_path_factory: pytest.TempPathFactory) -> RemoteRun:
    here = tmp_path_factory.mktemp("remote_run")
    sample = write_sample(here / "sample", threads=12, dev_threads=5, seed=5)
    send(sample.train.parent, s3.location("in"), s3.settings)
    (here / "events").mkdir()
    # One file of text, which is the default of Spark 3.5 only.
    plain = {"spark.eventLog.rolling.enabled": "false", "spark.eventLog.compress": "false"}
    settings = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": here / "events", **plain, **SECRET_SETTINGS}
    options = " ".join(f"-D{name}={value}" for name, value in settings.items())
    arguments = ["run", "--lake", s3.location("lake"), "--run-id", "r1", "--baseline", SYSTEM, "--systems", SYSTEM]
    arguments += ["--train", s3.location("in", "train.xml"), "--dev", s3.location("in", "dev.xml")]
    arguments += ["--tracking.uri", f"sqlite:///{here / 'mlflow.db'}", "--tracking.artifacts", s3.location("mlflow")]
    arguments += ["--evaluation.resamples", "9", "--spark.driver-memory", "2g", "--no-spark.compile-plans", *s3.flags]
    done = subprocess.run(
        [Path(sys.executable).parent / "cqa", *arguments],
        env={**os.environ, "SPARK_SUBMIT_OPTS": options, "MLFLOW_TRACKING_TOKEN": TOKEN},
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    events = "".join(each.read_text() for each in (here / "events").iterdir())
    assert "SparkListenerApplicationEnd" in events
    return RemoteRun(s3, f"{done.stdout}\n{done.stderr}\n{events}", here)


@pytest.fixture(scope="module")
def lake(spark: SparkSession, remote_run: RemoteRun) -> Iterator[Lake]:
    server = remote_run.server
    reach(spark, server)
    return Lake(spark, server.location("lake"), server.settings)


def test_the_published_run_is_readable(lake: Lake) -> None:
    snapshot = published_snapshot(lake)
    assert (snapshot.record.run_id, snapshot.record.status) == ("r1", "published")
    assert snapshot.read(RANKINGS).where(f"system = '{SYSTEM}'").count() > 0
    (train, dev) = snapshot.record.inputs
    assert train.path == f"{lake.root.removesuffix('lake')}in/train.xml"
    assert (train.bytes, train.sha256) == (find_files(train.path, lake.storage)[0].size, None)
    assert dev.split == "dev"


def test_a_delta_reader_sees_the_files_of_the_published_run(lake: Lake, remote_run: RemoteRun) -> None:
    place = lake.path(TABLES, RANKINGS.name).replace("s3a://", "s3://")
    seen = DeltaTable(place, storage_options=remote_run.server.delta_options).file_uris()
    rankings = published_snapshot(lake).files(RANKINGS).files
    assert sorted(seen) == sorted(lake.path(file.path).replace("s3a://", "s3://") for file in rankings)


def test_the_report_lies_in_the_lake(lake: Lake) -> None:
    with local_source(published_snapshot(lake).record.artifacts["report"], lake.storage) as page:
        assert SYSTEM in page.read_text(encoding="utf-8")


def test_mlflow_keeps_its_files_in_the_bucket(remote_run: RemoteRun) -> None:
    names = [each.location for each in find_files(remote_run.server.location("mlflow"), remote_run.server.settings)]
    assert {name.rpartition("/")[2] for name in names} >= {"manifest.json", "report.html", "system.json"}
    assert "was not tracked" not in remote_run.said


def test_a_trained_system_is_loaded_from_the_bucket(lake: Lake) -> None:
    trained = TrainedSystem.load(published_snapshot(lake).record.artifacts[f"model/{SYSTEM}"], lake.storage)
    assert (trained.system.name, trained.training_run) == (SYSTEM, "r1")


def test_predictions_are_written_and_scored_in_the_bucket(
    lake: Lake, remote_run: RemoteRun, capsys: pytest.CaptureFixture[str]
) -> None:
    server, snapshot = remote_run.server, published_snapshot(lake)
    write_predictions(snapshot.read(RANKINGS), server.location("out", "dev.pred"), "question_comment", server.settings)
    gold = server.location("in", "dev.relevancy")
    capsys.readouterr()
    arguments = ["evaluate-file", gold, server.location("out", "dev.pred"), "--format", "json", *server.flags]
    assert main(arguments) == 0
    (measured,) = (entry for entry in snapshot.entries(METRICS) if entry["measure"] == "MAP@10")
    assert json.loads(capsys.readouterr().out)[0]["map"] == measured["value"]


def test_runs_are_listed_and_looked_at(lake: Lake, remote_run: RemoteRun, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "list", "--lake", lake.root, *remote_run.server.flags]) == 0
    page = remote_run.server.location("pages", "r1.html")
    assert main(["inspect", "--lake", lake.root, "--format", "json", "--page", page, *remote_run.server.flags]) == 0
    assert find_files(page, lake.storage)
    assert "r1" in capsys.readouterr().out


def test_read_permission_is_enough_to_read(
    lake: Lake, remote_run: RemoteRun, capsys: pytest.CaptureFixture[str]
) -> None:
    server = remote_run.server
    before = find_files(server.location(), server.settings)
    with reading_only(lake.spark, server):
        with pytest.raises(EnvironmentProblem, match="AccessDenied"):
            lake.objects.put("trial", b"")
        assert main(["runs", "list", "--lake", lake.root, *server.flags]) == 0
        assert main(["runs", "show", "r1", "--lake", lake.root, *server.flags]) == 0
        assert main(["inspect", "--lake", lake.root, *server.flags]) == 0
        assert main(["explain", "--lake", lake.root, "--run-id", "r1", "--thread", "Q1", *server.flags]) == 2
        assert "no ranker explains its scores" in capsys.readouterr().err
        assert main(["runs", "list", "--lake", server.location("lak"), *server.flags]) == 2
        assert f"did you mean {lake.root}?" in capsys.readouterr().err
    assert find_files(server.location(), server.settings) == before


def test_no_secret_is_left_behind(
    lake: Lake, remote_run: RemoteRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Tables, their logs and properties, report, models, MLflow's database and files, output, events, plans, errors."""
    server = remote_run.server
    secrets = [os.environ["AWS_SECRET_ACCESS_KEY"], os.environ["AWS_ACCESS_KEY_ID"], SECRET_KEY, ACCESS_KEY, TOKEN]
    fetch(server.location(), tmp_path / "bucket", server.settings)
    flags = [*server.flags, "--object-storage.endpoint", "http://127.0.0.1:1", "--object-storage.attempts", "1"]
    assert main(["runs", "list", "--lake", server.location("elsewhere"), *flags]) == 4
    published_snapshot(lake).read(RANKINGS).explain("extended")
    said = capfd.readouterr()
    searched = {"output": remote_run.said.encode(), "later output": f"{said.out}{said.err}".encode()}
    for folder in (tmp_path / "bucket", remote_run.local):
        searched |= {str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    assert any(name.endswith(".parquet") for name in searched)
    assert any(name.endswith("_delta_log/00000000000000000000.json") for name in searched)
    assert any(name.endswith("mlflow.db") for name in searched)
    assert b"no answer from the object storage" in searched["later output"]
    assert all(f'"{name}":"*********(redacted)"' in remote_run.said for name in SECRET_SETTINGS)
    assert [name for name, content in searched.items() if any(each.encode() in content for each in secrets)] == []
