"""A golden run: made once per version of the code, and read by all tests that look at what a run leaves behind."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.lake.lake import Lake
from cqa_spark.lake.snapshot import Snapshot, published_snapshot, snapshot_of

REPOSITORY = Path(__file__).resolve().parents[2]
MADE_FROM = ("cqa_spark", "conf", "locks", "tests/golden", "tests/homes.py")


@dataclass(frozen=True)
class GoldenRun:
    """A lake that a run was published in; a test that changes it takes a copy.

    Attributes:
        lake: the lake, in the session of the tests.
        folder: holds the lake, and what the run was made from.
    """

    lake: Lake
    folder: Path

    @classmethod
    def at(cls, folder: Path, spark: SparkSession) -> GoldenRun:
        return cls(Lake(spark, str(folder / "lake")), folder)

    @property
    def root(self) -> str:
        """Where the lake lies."""
        return self.lake.root

    @property
    def snapshot(self) -> Snapshot:
        """The published run."""
        return published_snapshot(self.lake)

    def run(self, run_id: str) -> Snapshot:
        """A run that succeeded."""
        return snapshot_of(self.lake, run_id)

    def copy(self, folder: Path) -> GoldenRun:
        """The same lake in a folder that does not exist yet."""
        shutil.copytree(self.root, folder / "lake")
        return GoldenRun.at(folder, self.lake.spark)


def made_once(cache: pytest.Cache, name: str, make: Callable[[Path], None]) -> Path:
    """The folder of a golden run, which the first process that needs it makes.

    It stays in pytest's cache until the code changes, so that a test alone does not wait for it; ``--cache-clear``
    removes it.

    Args:
        cache: pytest's cache, which all processes of a checkout share.
        name: of the golden run.
        make: fills an empty folder.
    """
    shared = cache.mkdir("golden")
    folder, key = shared / name, _key()
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made_from = folder / "made-from"
        if not made_from.exists() or made_from.read_text() != key:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made_from.write_text(key)
    return folder


def _key() -> str:
    """A hash of everything that a golden run is made from."""
    digest = hashlib.sha256(sys.version.encode())
    for top in MADE_FROM:
        for path in sorted((REPOSITORY / top).rglob("*") if (REPOSITORY / top).is_dir() else [REPOSITORY / top]):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(f"{path.relative_to(REPOSITORY)}\n".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
