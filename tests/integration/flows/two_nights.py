"""Two nights on an invented site, and what readers see after each."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from later_dump import write_later_dump
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.synth.stackexchange.dump import write_dump

SITE = "night.example.org"
SYSTEM = "highest_reputation_asof"
FEATURES = "features"


Content = Mapping[str, list[tuple[object, ...]]]
"""Rows by table."""


@dataclass(frozen=True)
class Nights:
    """A lake after the first night, the same after the second, and the dumps of both."""

    first: Lake
    second: Lake
    dumps: tuple[Path, Path]


def night(lake: str, dump: Path, run_id: str, *more: str) -> list[str]:
    few = ["--tables", "posts", "users", "comments", "votes", "post_links", "--evaluation.measures", "MAP@10"]
    return ["nightly", "--input", str(dump), "--lake", lake, "--run-id", run_id, "--system", SYSTEM,
            "--incremental-from", "0", "--min-answers", "2", "--evaluation.resamples", "99",
            "--no-spark.compile-plans", *few, *more]  # fmt: skip


def content(snapshot: Snapshot) -> Content:
    """The rows that readers see, as far as they do not say who wrote them."""
    frames = {table.name: snapshot.read(table) for table in (POSTS, EXAMPLES, RANKINGS)}
    versions = snapshot.record.table_versions
    path = snapshot.lake.path(FEATURES)
    frames[FEATURES] = snapshot.lake.spark.read.format("delta").option("versionAsOf", versions[FEATURES]).load(path)
    kept = {name: frame.drop("run_id", "source_file", "unknown_attributes") for name, frame in frames.items()}
    rows = {name: sorted(map(tuple, frame.collect()), key=repr) for name, frame in kept.items()}
    return {**rows, METRICS.name: [tuple(entry.values()) for entry in snapshot.entries(METRICS)]}


def copied(lake: Lake, folder: Path) -> Lake:
    shutil.copytree(lake.root, folder)
    return Lake(lake.spark, str(folder))


def two_nights(spark: SparkSession, folder: Path) -> Nights:
    """Do both nights, each in a lake of its own."""
    dump = write_dump(folder / "monday", site=SITE, threads=40, seed=3, workers=1).folder
    later = folder / "tuesday" / SITE
    write_later_dump(dump, later)
    first = Lake(spark, str(folder / "first"))
    assert main(night(first.root, dump, "r1")) == 0
    second = copied(first, folder / "second")
    assert main(night(second.root, later, "r2")) == 0
    return Nights(first, second, (dump, later))
