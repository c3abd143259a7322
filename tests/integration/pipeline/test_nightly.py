"""One night after the other: what changed is computed again, and gives what computing everything gives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from later_dump import write_later_dump
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.lease import KEY as LEASE
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.lake.schemas.night import CHANGES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.synth.stackexchange.dump import write_dump

SITE = "night.example.org"
SYSTEM = "highest_reputation_asof"
FEATURES = "features_basic_u_asof_v1"

CRASHES = {
    "while ingesting, between two tables": ("cqa_spark.lake.storage:Lake.replace", "after", 2),
    "while merging features": ("cqa_spark.lake.storage:Lake.delete", "after", 1),
    "while merging rankings": ("cqa_spark.lake.storage:Lake.delete", "after", 2),
    "before the checks": ("cqa_spark.pipeline.nightly:checks_step", "before", 1),
    "between checks and publishing": ("cqa_spark.pipeline.nightly:publish_run", "before", 1),
    "while publishing, seen and not yet logged": ("cqa_spark.lake.publishing:point_to", "after", 1),
    "after publishing, before the export": ("cqa_spark.pipeline.nightly:export_rankings", "before", 1),
}
TRIED = ("while merging features", "while publishing, seen and not yet logged")
"""One on either side of publishing; CQA_ALL_CRASHES=1 tries them all, in a quarter of an hour."""


@dataclass(frozen=True)
class Nights:
    """A lake after the first night, the same after the second, and the dumps of both."""

    first: Lake
    second: Lake
    dumps: tuple[Path, Path]


def night(lake: str, dump: Path, run_id: str, *more: str) -> list[str]:
    return ["nightly", "--input", str(dump), "--lake", lake, "--run-id", run_id, "--system", SYSTEM,
            "--min-answers", "2", "--evaluation.resamples", "99", *more]  # fmt: skip


def content(snapshot: Snapshot) -> Mapping[str, list[tuple[object, ...]]]:
    """The rows that readers see, as far as they do not say who wrote them."""
    frames = {table.name: snapshot.read(table) for table in (POSTS, EXAMPLES, RANKINGS, METRICS)}
    versions = snapshot.record.table_versions
    path = snapshot.lake.path(FEATURES)
    frames[FEATURES] = snapshot.lake.spark.read.format("delta").option("versionAsOf", versions[FEATURES]).load(path)
    kept = {name: frame.drop("run_id", "source_file", "unknown_attributes") for name, frame in frames.items()}
    return {name: sorted(map(tuple, frame.collect()), key=repr) for name, frame in kept.items()}


def copied(lake: Lake, folder: Path) -> Lake:
    shutil.copytree(lake.root, folder)
    return Lake(lake.spark, str(folder))


@pytest.fixture(scope="module")
def nights(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Nights:
    folder = tmp_path_factory.mktemp("nights")
    dump = write_dump(folder / "monday", site=SITE, threads=40, seed=3, workers=1).folder
    later = folder / "tuesday" / SITE
    write_later_dump(dump, later)
    first = Lake(spark, str(folder / "first"))
    assert main(night(first.root, dump, "r1")) == 0
    second = copied(first, folder / "second")
    assert main(night(second.root, later, "r2")) == 0
    return Nights(first, second, (dump, later))


@pytest.mark.slow
def test_a_second_night_gives_what_computing_everything_gives(nights: Nights, tmp_path: Path) -> None:
    full = copied(nights.first, tmp_path / "full")
    assert main(night(full.root, nights.dumps[1], "r2", "--full")) == 0
    second = published_snapshot(nights.second)
    assert content(second) == content(published_snapshot(full))
    assert content(second) != content(published_snapshot(nights.first))
    changes = {(row["table_name"], row["change"]): row["rows"] for row in second.read(CHANGES).collect()}
    assert changes == {
        ("posts", "new"): 1, ("posts", "gone"): 1, ("posts", "changed"): 2, ("badges", "new"): 1, ("votes", "new"): 1,
        ("comments", "new"): 1, **{key: rows for key, rows in changes.items() if key[0] == "examples"},
    }  # fmt: skip
    redone = {step.step: step.rows_in for step in second.record.steps}
    assert 0 < redone["features"] < second.read(EXAMPLES).count() / 2
    kept = second.read(RANKINGS).where("run_id = 'r1'").count()
    assert 0 < kept < second.read(RANKINGS).count()


@pytest.mark.slow
def test_what_is_exported_is_named_and_can_be_checked(nights: Nights) -> None:
    root = Path(nights.second.root)
    manifest = json.loads((root / "exports" / "current.json").read_text())
    assert (manifest["run_id"], manifest["system"]) == ("r2", SYSTEM)
    ranked = published_snapshot(nights.second).read(RANKINGS).where(f"system = '{SYSTEM}'").count()
    for kind in ("parquet", "json"):
        assert sum(file["rows"] for file in manifest["files"] if file["format"] == kind) == ranked
    for file in manifest["files"]:
        data = (root / file["path"]).read_bytes()
        assert (file["site"], file["bytes"], file["sha256"]) == (SITE, len(data), sha256(data).hexdigest())


@pytest.mark.slow
def test_checks_that_fail_garbage_and_rolling_back(
    nights: Nights, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = copied(nights.second, tmp_path / "lake")
    strict = night(lake.root, nights.dumps[0], "r3", "--checks.max-row-loss", "0", "--checks.max-row-growth", "0")
    assert main(strict) == 7
    assert "run r3 is not published: row counts: " in capsys.readouterr().err
    assert published_snapshot(lake).record.run_id == "r2"
    assert main([*strict, "--force"]) == 2
    assert main([*strict, "--force", "--who", "A. Editor"]) == 0
    assert published_snapshot(lake).record.message == "A. Editor says so, against: row counts"
    assert content(published_snapshot(lake)) == content(published_snapshot(nights.first))

    assert main(["runs", "gc", "--lake", lake.root, "--keep", "2"]) == 0
    assert main(["runs", "rollback", "--lake", lake.root]) == 0
    assert content(published_snapshot(lake)) == content(published_snapshot(nights.second))
    assert sorted(path.name for path in Path(lake.root, "exports").iterdir()) == ["current.json", "r2", "r3"]


@pytest.mark.slow
@pytest.mark.parametrize("step", CRASHES if os.environ.get("CQA_ALL_CRASHES") else TRIED)
def test_killed(nights: Nights, tmp_path: Path, step: str) -> None:
    lake = copied(nights.first, tmp_path / "lake")
    command = night(lake.root, nights.dumps[1], "r2")
    place, when, call = CRASHES[step]
    killer = Path(__file__).with_name("kill_at.py")
    killed = subprocess.run([sys.executable, str(killer), place, when, str(call), *command], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not json.loads(Path(lake.root, LEASE).read_text())["is_released"]
    seen = published_snapshot(lake)
    before = nights.second if "publishing, " in step else nights.first
    assert content(seen) == content(published_snapshot(before))

    assert main(command) == 0
    assert content(published_snapshot(lake)) == content(published_snapshot(nights.second))
    newest = {record.run_id: record.status for record in RunLog(lake).records()}
    assert newest == {"r1": "published", "r2": "published"}
