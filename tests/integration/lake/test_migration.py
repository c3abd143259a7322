"""A lake of the previous release becomes one of this release; ``README.md`` describes how it was created."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.cli import main
from cqa_spark.lake import migration
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.lease import take_lease
from cqa_spark.lake.leased import LeasedLake, take_over
from cqa_spark.lake.migration import is_migrated, migrate_tables
from cqa_spark.lake.opening import is_of_last_release
from cqa_spark.lake.pointer import claim, point_to
from cqa_spark.lake.publishing import Snapshot, published_run, published_snapshot
from cqa_spark.lake.query_measures import by_measure
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.metrics import METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.object_store.store import ObjectStore

ARCHIVE = Path(__file__).with_name("last_release.tar.gz")
RECORDS = [
    "1 sunday running",
    "2 sunday succeeded",
    "3 sunday published",
    "4 monday running",
    "5 monday succeeded",
    "6 monday published",
    "7 tuesday running",
    "8 tuesday succeeded",
    "9 tuesday published",
]
LINES = [
    "ingested_files: 3 in the journal",
    "id_blocks: 1 in the journal",
    "orphans: 1 in the journal",
    "left_out_groups: 2 in the journal",
    "metrics: 2 in the journal",
    "query_metrics: 2 in the journal",
    "comparisons: 2 in the journal",
    "feature_importances: 2 in the journal",
    "runs: 9 records",
]
MONDAY = {"given_order": 0.3129365079365079, "length": 0.3763888888888889}
TUESDAY = {**MONDAY, "random": 0.23968253968253966}


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    """A lake of the previous release."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return Lake(spark, str(tmp_path / "lake"))


@contextmanager
def held(lake: Lake) -> Iterator[LeasedLake]:
    with take_over(lake, Holder.of_this_process("lake migrate")) as found:
        yield found


def shown(records: list[RunRecord]) -> list[str]:
    return [f"{each.sequence} {each.run_id} {each.status}" for each in records]


def journal(objects: ObjectStore) -> dict[str, bytes]:
    """The files by path; Spark names its files at random."""
    found = ((key, objects.read(key)) for key in objects.keys("journal/"))
    return {key.partition("/part-")[0]: stored.data for key, stored in found if stored is not None}


def map_by_system(snapshot: Snapshot) -> dict[str, float]:
    return {entry["system"]: entry["value"] for entry in snapshot.entries(METRICS)}


def test_it_is_refused_migrated_and_read(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "list", "--lake", lake.root]) == 2
    assert f"cqa lake migrate {lake.root}" in capsys.readouterr().err
    published = published_run(lake)

    assert main(["lake", "migrate", lake.root]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines == LINES
    assert last == f"migrated {lake.root}; its models are retrained when they are next needed"
    assert not is_of_last_release(lake.objects)
    assert {"runs", "metrics", "comparisons", "ingested_files", "orphans"}.isdisjoint(lake.objects.folders())

    log = RunLog(lake.objects)
    assert shown(log.records()) == RECORDS
    assert published is not None
    assert log.records()[-1] == replace(published, sequence=9)
    assert published_run(lake) == published
    snapshot = published_snapshot(lake)
    assert snapshot.read(POSTS).count() == 12
    assert map_by_system(snapshot) == TUESDAY
    measured = by_measure(snapshot.read(QUERY_METRICS)).groupBy("system").agg(F.avg("value")).collect()
    assert dict(map(tuple, measured)) == pytest.approx(TUESDAY)
    assert map_by_system(Snapshot(lake, log.require_success("monday"))) == MONDAY
    sunday = Snapshot(lake, log.require_success("sunday"))
    assert sunday.entries(ORPHANS) == []
    assert {entry["table_name"]: entry["rows_out"] for entry in sunday.entries(INGESTED_FILES)} == {
        "posts": 22, "users": 197, "comments": 7, "votes": 82, "badges": 307, "tags": 8, "post_links": 0,
        "post_history": 30,
    }  # fmt: skip

    ranked = lake.spark.read.format("delta").load(lake.path("published", "rankings"))
    assert sorted(ranked.collect()) == sorted(snapshot.read(RANKINGS).collect())

    before = journal(lake.objects)
    assert main(["lake", "migrate", lake.root]) == 0
    assert capsys.readouterr().out == f"{lake.root} is a lake of this release; nothing to migrate\n"
    assert journal(lake.objects) == before


@pytest.mark.slow
def test_killed_again_and_again_it_ends_as_if_nothing_had_happened(
    lake: Lake, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(other, filter="data")
    undisturbed = Lake(spark, str(other / "lake"))
    with held(undisturbed) as writer:
        migrate_tables(writer, lambda line: None)

    remove = migration.remove_folder

    def remove_one_file(lake: Lake, *parts: str) -> None:
        """Die after the first file of a folder."""
        lake.objects.delete(next(iter(lake.objects.keys("/".join(parts) + "/"))))
        raise KeyboardInterrupt

    def remove_log_in_part(lake: Lake, *parts: str) -> None:
        (remove_one_file if parts[-1] == "_delta_log" else remove)(lake, *parts)

    def remove_data_in_part(lake: Lake, *parts: str) -> None:
        (remove_one_file if parts == ("runs",) else remove)(lake, *parts)

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    steps: list[tuple[object, str, Callable[..., None]]] = [
        (RunLog, "restore", die),
        (migration, "complete_log", die),
        (migration, "remove_folder", remove_one_file),
        (migration, "remove_folder", remove_log_in_part),
        (migration, "remove_folder", remove_data_in_part),
    ]
    for owner, name, broken in steps:
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, broken)
            with pytest.raises(KeyboardInterrupt), held(lake) as writer:
                migrate_tables(writer, lambda line: None)
        with held(lake) as writer:
            assert not is_migrated(writer)
    with held(lake) as writer:
        migrate_tables(writer, lambda line: None)
        assert is_migrated(writer)
    assert journal(lake.objects) == journal(undisturbed.objects)
    assert shown(RunLog(lake.objects).records()) == RECORDS


def test_versions_that_were_garbage_collected_are_skipped(lake: Lake) -> None:
    """Monday's metrics are gone; those of the published run are there."""
    monday, *_ = sorted(Path(lake.root, "metrics").glob("*.parquet"), key=lambda file: file.stat().st_mtime)
    monday.unlink()
    lines: list[str] = []
    with held(lake) as writer:
        migrate_tables(writer, lines.append)
    assert lines[4:6] == [
        "metrics: version 0 of monday was garbage-collected; skipped",
        "metrics: 1 in the journal",
    ]
    assert map_by_system(published_snapshot(lake)) == TUESDAY


def test_the_log_of_a_writer_that_died_is_completed(lake: Lake) -> None:
    """It published once more, and died before it logged that and gave its lease back."""
    dead = Holder.of_this_process("nightly").model_copy(update={"pid": 2**22 + 1})
    published = published_run(lake)
    assert published is not None
    lease = take_lease(lake.objects, dead, lambda: datetime.now(UTC))
    claim(lake.objects, lease.token)
    again = replace(published, recorded_at=datetime(2026, 1, 1, tzinfo=UTC), message="not logged")
    point_to(lake.objects, again, lease.token)
    with held(lake) as writer:
        migrate_tables(writer, lambda line: None)
    records = RunLog(lake.objects).records()
    assert shown(records) == [*RECORDS, "10 tuesday published"]
    assert records[-1].message == "not logged"
