"""Two nights on three invented sites, one of which changes, and what readers see after each."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from later_dump import write_later_dump
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.features.feature_table import tables_of
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.findings import FINDING_CASES, FINDING_WORTH, FINDINGS, QUESTION_VECTORS
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.night import SERVED_ORDERS
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS, RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.synth.stackexchange.dump import write_dump
from cqa_spark.systems.recipes import read_systems

CHANGED, *UNCHANGED = SITES = ("beer.example.org", "tea.example.org", "wine.example.org")
SYSTEM = "night_answers"
"""The default, whose model the package ships."""

Content = Mapping[str, list[tuple[object, ...]]]
"""Rows by table."""


@dataclass(frozen=True)
class Nights:
    """A lake after the first night, the same after the second, and the dumps of both."""

    first: Lake
    second: Lake
    dumps: tuple[Path, Path]


def night(lake: str, dump: Path, run_id: str, *more: str) -> list[str]:
    few = ["--tables", "posts", "users", "comments", "votes", "post_links"]
    return ["nightly", "--input", str(dump), "--lake", lake, "--run-id", run_id,
            "--evaluation.resamples", "99", "--no-spark.compile-plans", *few, *more]  # fmt: skip


def content(snapshot: Snapshot) -> Content:
    """The rows that readers see, as far as they do not say who wrote them, or after how many nights."""
    [system] = read_systems([SYSTEM])
    tables = (POSTS, EXAMPLES, *tables_of(system.feature_groups), RANKINGS, NIGHT_RANKINGS, QUERY_METRICS)
    tables += (FINDINGS, FINDING_CASES, QUESTION_VECTORS)
    frames = {table.name: snapshot.read(table).drop("run_id", "source_file", "unknown_attributes") for table in tables}
    rows = {name: sorted(map(tuple, frame.collect()), key=repr) for name, frame in frames.items()}
    orders = [entry | {"agreeing": None} for entry in snapshot.entries(SERVED_ORDERS)]  # which counts nights
    measured = {
        METRICS.name: [*map(repr, snapshot.entries(METRICS))],
        COMPARISONS.name: [*map(repr, snapshot.entries(COMPARISONS))],
        SERVED_ORDERS.name: [*map(repr, orders)],
        FINDING_WORTH.name: [*map(repr, snapshot.entries(FINDING_WORTH))],
    }
    return {**rows, **measured}


def copied(lake: Lake, folder: Path) -> Lake:
    shutil.copytree(lake.root, folder)
    return Lake(lake.spark, str(folder))


def two_nights(spark: SparkSession, folder: Path) -> Nights:
    """Do both nights, each in a lake of its own; the unchanged sites are copied, so their files have other times."""
    first_dump, second_dump = folder / "monday", folder / "tuesday"
    for seed, site in enumerate(SITES):
        write_dump(first_dump, site=site, threads=16, seed=seed, workers=1)
    for site in UNCHANGED:
        shutil.copytree(first_dump / site, second_dump / site, copy_function=shutil.copyfile)
    write_later_dump(first_dump / CHANGED, second_dump / CHANGED)
    first = Lake(spark, str(folder / "first"))
    assert main(night(first.root, first_dump, "r1")) == 0
    second = copied(first, folder / "second")
    assert main(night(second.root, second_dump, "r2")) == 0
    return Nights(first, second, (first_dump, second_dump))
