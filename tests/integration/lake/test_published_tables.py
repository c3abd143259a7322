"""What a Delta reader without our code sees under ``LAKE/published``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.config.settings import ListRunsSettings
from cqa_spark.lake import publishing
from cqa_spark.lake.garbage import runs_to_keep, vacuum_tables
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.leased import LeasedLake, hold
from cqa_spark.lake.publishing import publish, published_snapshot, rollback
from cqa_spark.lake.run_lifecycle import open_run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.runtime.workspace import write_lake

SITES = ("a.example", "it's example")


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "lake"))


@contextmanager
def held(lake: Lake) -> Iterator[LeasedLake]:
    with hold(lake, Holder.of_this_process("test")) as found:
        yield found


def finished(lake: Lake, run_id: str) -> None:
    """A run that ranks one candidate on each of two sites."""
    begin = RunRecord(run_id, "running", "run", config_hash="c0ffee", config="", code_version="0")
    rows = [(run_id, "length", site, "t", "dev", "q1", "c1", 0.5, 1, True) for site in SITES]
    with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
        run.write(RANKINGS, lake.spark.createDataFrame(rows, RANKINGS.schema))


def seen(lake: Lake) -> list[tuple[str, str]]:
    rows = lake.spark.read.format("delta").load(lake.path("published", "rankings"))
    return sorted((row["run_id"], row["site"]) for row in rows.collect())


def rows_of(run_id: str) -> list[tuple[str, str]]:
    return [(run_id, site) for site in SITES]


def test_the_published_rows_and_no_others(lake: Lake) -> None:
    finished(lake, "r1")
    with held(lake) as writer:
        publish(writer, "r1")
    assert seen(lake) == rows_of("r1")
    finished(lake, "r2")
    assert seen(lake) == rows_of("r1")
    with held(lake) as writer:
        publish(writer, "r2")
        assert seen(lake) == rows_of("r2")
        rollback(writer)
    assert seen(lake) == rows_of("r1")
    rows = lake.spark.read.format("delta").load(lake.path("published", "rankings"))
    assert rows.schema == published_snapshot(lake).read(RANKINGS).schema


def test_the_copy_moves_with_the_lake(lake: Lake, spark: SparkSession, tmp_path: Path) -> None:
    finished(lake, "r1")
    with held(lake) as writer:
        publish(writer, "r1")
    moved = Path(lake.root).rename(tmp_path / "moved")
    assert seen(Lake(spark, str(moved))) == rows_of("r1")


def test_a_failure_between_pointer_and_copy_is_noted_and_the_next_writer_updates_the_copy(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run_id in ("r1", "r2"):
        finished(lake, run_id)
    with held(lake) as writer:
        publish(writer, "r1")

    def fail(lake: Lake) -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as broken:
        broken.setattr(publishing, "update_copies", fail)
        with pytest.raises(RuntimeError, match="power cut") as failed, held(lake) as writer:
            publish(writer, "r2")
    assert f"run r2 is published; the next job that writes the lake updates {lake.root}/published" in (
        failed.value.__notes__
    )
    assert seen(lake) == rows_of("r1")
    with write_lake(ListRunsSettings(lake=lake.root), "test"):
        assert seen(lake) == rows_of("r2")


def test_a_copy_that_cannot_be_made_stops_no_job(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    finished(lake, "r1")
    Path(lake.root, "published").write_text("in the way")
    with pytest.raises(Exception, match="published") as failed, held(lake) as writer:
        publish(writer, "r1")
    assert failed.value.__notes__
    with write_lake(ListRunsSettings(lake=lake.root), "test"):
        assert f"warning: {lake.root}/published is not up to date: " in capsys.readouterr().err


def test_a_run_without_rankings_needs_no_spark_and_empties_a_copy(lake: Lake) -> None:
    def no_spark() -> SparkSession:
        raise AssertionError("Spark is started")

    RunLog(lake.objects).append(RunRecord("r0", "succeeded", "ingest", "c0ffee", "", "0"))
    with held(Lake(no_spark, lake.root)) as writer:
        publish(writer, "r0")
    assert not Path(lake.root, "published").exists()

    finished(lake, "r1")
    with held(lake) as writer:
        publish(writer, "r1")
        publish(writer, "r0")
    assert seen(lake) == []
    with write_lake(ListRunsSettings(lake=lake.root), "test"):
        commits = sorted(Path(lake.root, "published", "rankings", "_delta_log").glob("*.json"))
    assert len(commits) == 2


def test_garbage_collection_keeps_the_newest_copy_and_the_one_before(lake: Lake) -> None:
    for run_id in ("r1", "r2", "r3"):
        finished(lake, run_id)
        with held(lake) as writer:
            publish(writer, run_id)
    with held(lake) as writer:
        assert vacuum_tables(writer, runs_to_keep(writer, 1)) == ["rankings", "published/rankings"]
    assert seen(lake) == rows_of("r3")
    before = lake.spark.read.format("delta").option("versionAsOf", 1).load(lake.path("published", "rankings"))
    assert sorted((row["run_id"], row["site"]) for row in before.collect()) == rows_of("r2")
    assert len(list(Path(lake.root, "published", "rankings").rglob("*.parquet"))) == 4
