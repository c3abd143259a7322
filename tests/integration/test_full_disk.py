"""Disks that fill up while a job writes: the job says which and what to do, and readers see what they saw."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.snapshot import published_runs
from cqa_spark.object_store.locations import write_file
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.synth.qatar_living import write_sample

MAKE_SPACE = "\n  → free space there, or name a folder on another disk"


def fill(folder: Path, free: int = 0) -> None:
    """Write until nothing fits, or until so many bytes are free."""
    with (folder / "filler").open("wb", buffering=0) as file:
        with suppress(OSError):
            while file.write(bytes(4096)):
                pass
        file.truncate(file.tell() - free)


def test_a_lake_without_space(
    spark: SparkSession, small_disk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lake, sample = small_disk / "lake", write_sample(tmp_path / "sample", threads=3, dev_threads=1, seed=5)
    ingest = ["ingest", "--lake", str(lake), "--train", str(sample.train)]
    assert main([*ingest, "--run-id", "r1"]) == 0
    assert main(["runs", "publish", "r1", "--lake", str(lake)]) == 0
    capfd.readouterr()
    fill(small_disk, free=32_768)  # enough for the lease and the run log, not for the tables
    assert main([*ingest, "--run-id", "r2"]) == 4
    said = capfd.readouterr().err
    assert "no space left on the disk" in said or "No space left on device" in said
    assert MAKE_SPACE in said
    assert f" in {lake}" in said or f"cannot write {lake}" in said
    assert "Traceback" not in said
    assert "\tat " not in said
    [published] = published_runs(Lake(spark, str(lake)))
    assert published.run_id == "r1"


def test_a_report_without_space(small_disk: Path) -> None:
    """What writes single files: reports, manifests, predictions."""
    page = small_disk / "reports" / "r1.html"
    with pytest.raises(EnvironmentProblem) as raised:
        write_file(str(page), bytes(1 << 20), ObjectStorageSettings())
    assert str(raised.value).startswith(f"cannot write {page}: No space left on device{MAKE_SPACE}")
    assert list(page.parent.iterdir()) == []


@pytest.mark.parametrize("state", ["full", "denied"])
def test_scratch_folders_are_tried_before_spark_starts(small_disk: Path, tmp_path: Path, state: str) -> None:
    if state == "full":
        fill(small_disk)
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    sample = write_sample(tmp_path / "sample", threads=3, dev_threads=1, seed=5)
    done = subprocess.run(
        [sys.executable, "-m", "cqa_spark.cli", "ingest", "--lake", tmp_path / "lake", "--train", sample.train],
        env={**os.environ, "SPARK_LOCAL_DIRS": str(small_disk)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    reason = {"full": "No space left on device", "denied": "Read-only file system"}[state]
    assert f"\ncqa: cannot write Spark's scratch folder {small_disk}: {reason}\n  → " in done.stderr
    assert "Traceback" not in done.stderr
