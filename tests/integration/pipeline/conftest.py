"""A small invented forum, and one whole run on it that several tests look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession
from two_nights import Nights, two_nights

from cqa_spark.cli import main
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.storage import Lake
from cqa_spark.synth.qatar_living import SamplePaths, write_sample


@dataclass(frozen=True)
class FinishedRun:
    """A lake that a whole run was published in."""

    lake: Lake

    @property
    def snapshot(self) -> Snapshot:
        return published_snapshot(self.lake)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SamplePaths:
    return write_sample(tmp_path_factory.mktemp("sample"), threads=40, dev_threads=15, seed=5)


@pytest.fixture(scope="session")
def whole_run() -> Callable[..., list[str]]:
    """The command line of a run of a baseline and a system that learns, with few resamples."""

    def arguments(sample: SamplePaths, lake: str, *more: str) -> list[str]:
        return [
            "run",
            "--lake",
            lake,
            "--run-id",
            "r1",
            "--train",
            str(sample.train),
            "--dev",
            str(sample.dev),
            "--systems",
            "given_order",
            "logistic_a",
            "--evaluation.resamples",
            "99",
            *more,
        ]

    return arguments


@pytest.fixture(scope="session")
def finished(
    spark: SparkSession,
    sample: SamplePaths,
    whole_run: Callable[..., list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> FinishedRun:
    lake = Lake(spark, str(tmp_path_factory.mktemp("run") / "lake"))
    assert main(whole_run(sample, lake.root)) == 0
    return FinishedRun(lake)


@pytest.fixture(scope="session")
def nights(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Nights:
    return two_nights(spark, tmp_path_factory.mktemp("nights"))
