"""Nights on Google's and Azure's storage, which Spark has no connector for: what they publish is what a folder gets.

Spark starts before the servers, so its tasks know of these only what the driver tells them.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_servers import CLOUDS, HttpServer
from pyspark.sql import Row, SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas import published_tables
from cqa_spark.lake.snapshot import Snapshot, published_snapshot, snapshot_of
from cqa_spark.object_store.locations import fetch, send
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.synth.stackexchange.dump import write_dump

pytestmark = pytest.mark.more
STORAGE = ObjectStorageSettings(timeout=20)


def night(run_id: str, dump: object, lake: str) -> list[str]:
    return ["nightly", "--run-id", run_id, "--no-tracking.enabled", "--input", str(dump), "--lake", lake]


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dump(tmp_path_factory.mktemp("dumps"), site="cloud.example.org", threads=60, seed=3).folder


@pytest.fixture(scope="module")
def local_lake(spark: SparkSession, dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = tmp_path_factory.mktemp("local") / "lake"
    assert main(night("r1", dump, str(lake))) == 0
    return Lake(spark, str(lake))


@pytest.fixture(scope="module", params=CLOUDS)
def cloud(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[HttpServer]:
    with CLOUDS[request.param](tmp_path_factory.mktemp(request.param)) as started:
        yield started


@pytest.fixture(scope="module")
def cloud_lake(spark: SparkSession, cloud: HttpServer, dump: Path) -> Lake:
    """A lake after two nights, of which the second found nothing new."""
    lake = cloud.location("lake")
    for run_id in ("r1", "r2"):
        assert main(night(run_id, dump, lake)) == 0
    return Lake(spark, lake, STORAGE)


def rows(snapshot: Snapshot) -> dict[str, list[Row]]:
    """All tables, without the addresses of the dump's files."""
    read = snapshot.present(published_tables()).items()
    return {name: sorted(frame.drop("source_file").collect(), key=repr) for name, frame in read}


def test_a_night_publishes_what_a_folder_gets(local_lake: Lake, cloud_lake: Lake) -> None:
    expected = rows(published_snapshot(local_lake))
    assert {"posts", "examples", "rankings"} <= expected.keys()
    assert rows(published_snapshot(cloud_lake)) == expected


def test_an_unchanged_night_keeps_all_files(cloud_lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = snapshot_of(cloud_lake, "r1"), published_snapshot(cloud_lake)
    assert second.record.run_id == "r2"
    assert second.tables == first.tables
    capsys.readouterr()
    assert main(["runs", "list", "--lake", cloud_lake.root, "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(run["run_id"], run["status"]) for run in listed] == [("r1", "published"), ("r2", "published")]


def test_the_dump_may_lie_in_the_bucket(local_lake: Lake, cloud: HttpServer, dump: Path, spark: SparkSession) -> None:
    place, lake = cloud.location("dumps", dump.name), cloud.location("lake")
    send(dump, place, STORAGE)
    assert main(night("r1", place, lake)) == 0
    assert rows(published_snapshot(Lake(spark, lake, STORAGE))) == rows(published_snapshot(local_lake))


def test_exports_are_those_of_a_folder(local_lake: Lake, cloud_lake: Lake, cloud: HttpServer, tmp_path: Path) -> None:
    for lake, output in ((local_lake.root, tmp_path / "local"), (cloud_lake.root, cloud.location("export"))):
        assert main(["export", "published", "--lake", lake, "--output", str(output), "--format", "jsonl"]) == 0
    fetch(str(output), tmp_path / "cloud", STORAGE)
    exports = (tmp_path / "local", tmp_path / "cloud")
    local, fetched = ({file.parent.name: file.read_text() for file in path.rglob("*.jsonl")} for path in exports)
    assert local.keys() == {"site=cloud.example.org"}
    assert fetched == local
