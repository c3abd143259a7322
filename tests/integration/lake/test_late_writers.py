"""A writer that is paused for longer than its lease lasts, and goes on when another one has taken the lake over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from pyspark.sql import DataFrame, SparkSession
from s3_server import S3Server, reach

from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.lease import LASTS
from cqa_spark.lake.leased import LeasedLake, hold
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table, column

SCORES = Table(
    "scores",
    "Made for the test.",
    (column("site", "string", "the site"), column("score", "int", "points")),
    key=("site",),
    partition_by=("site",),
)
SECOND_COMMIT = "scores/_delta_log/00000000000000000001.json"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 3, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(params=["folder", "bucket"])
def lake(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Lake:
    if request.param == "folder":
        return Lake(spark, str(tmp_path / "lake"))
    server: S3Server = request.getfixturevalue("s3")
    reach(spark, server)
    return Lake(spark, server.location("late", uuid4().hex), server.settings)


@contextmanager
def held(lake: Lake, host: str, clock: Clock) -> Iterator[LeasedLake]:
    holder = Holder(job="nightly", host=host, pid=42, machine=f"boot of {host}", attempt=host)
    with hold(lake, holder, clock, sleep=lambda _: None) as found:
        yield found


def rows(lake: Lake, *values: tuple[str, int]) -> DataFrame:
    return lake.spark.createDataFrame(list(values), SCORES.schema)


def stored(lake: Lake, version: int) -> list[tuple[str, int]]:
    """The rows as a program reads them that has not read the table before."""
    lake.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    return sorted(tuple(row) for row in lake.read(SCORES, version).collect())


def take_away(lake: Lake, key: str) -> bytes:
    """Remove an entry of a table's log, and what Delta and Hadoop keep beside it to check it by."""
    entry = lake.objects.read(key)
    assert entry is not None
    for name in (key, key.replace(".json", ".crc")):
        lake.objects.delete(name)
        forget_checksum(lake, name)
    lake.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    return entry.data


def forget_checksum(lake: Lake, key: str) -> None:
    if "://" not in lake.root:
        path = Path(lake.root, key)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


WAYS: dict[str, Callable[[LeasedLake], object]] = {
    "write": lambda lake: lake.write(SCORES, rows(lake, ("late", 9)), author="r1"),
    "replace": lambda lake: lake.replace(SCORES, rows(lake, ("a", 9)), sites=["a"], base=0, author="r1"),
    "add": lambda lake: lake.replace(SCORES, rows(lake, ("late", 9)), sites=(), base=0, author="r1"),
    "replace by nothing": lambda lake: lake.replace(SCORES, rows(lake), sites=["a"], base=0, author="r1"),
}


def test_it_commits_nothing_in_any_way(spark: SparkSession, tmp_path: Path) -> None:
    lake, clock = Lake(spark, str(tmp_path / "lake")), Clock()
    with held(lake, "sleeper", clock) as sleeper:
        sleeper.write(SCORES, rows(lake, ("a", 1)), author="r1")
        clock.now += LASTS
        with held(lake, "second", clock):
            newest = lake.newest_version(SCORES)
            for way in WAYS.values():
                with pytest.raises(AnotherWriter, match="another process has taken the lease"):
                    way(sleeper)
            assert lake.newest_version(SCORES) == newest
            assert stored(lake, newest) == [("a", 1)]


def test_a_commit_that_arrives_late_changes_no_later_version(lake: Lake) -> None:
    """It passed all checks before the pause, and then overwrites an entry of the log, as a plain upload does."""
    clock = Clock()
    with held(lake, "sleeper", clock) as sleeper:
        base = sleeper.write(SCORES, rows(lake, ("a", 1)), author="r1").version
        sleeper.write(SCORES, rows(lake, ("late", 9)), author="r1")
        late = take_away(lake, SECOND_COMMIT)
        clock.now += LASTS
        with held(lake, "second", clock) as second:
            revised = second.replace(SCORES, rows(lake, ("b", 2)), sites=(), base=base, author="r1").version
            lake.objects.put(SECOND_COMMIT, late)
            forget_checksum(lake, SECOND_COMMIT)
            assert stored(lake, base) == [("a", 1)]
            assert stored(lake, revised) == [("a", 1), ("b", 2)]
            written = second.write(SCORES, rows(lake, ("c", 3)), author="r1").version
            assert stored(lake, written) == [("c", 3)]
        with held(lake, "third", clock) as third:
            appended = third.replace(SCORES, rows(lake, ("d", 4)), sites=(), base=written, author="r1").version
            assert stored(lake, appended) == [("c", 3), ("d", 4)]


def test_a_commit_of_another_process_beside_ours_is_noticed(spark: SparkSession, tmp_path: Path) -> None:
    lake, clock = Lake(spark, str(tmp_path / "lake")), Clock()

    class Overtaken(LeasedLake):
        """Another process appends between the check of the lease and the commit."""

        def before_commit(self) -> None:
            super().before_commit()
            lake.replace(SCORES, rows(lake, ("theirs", 5)), sites=(), base=0, author="r2")

    with held(lake, "sleeper", clock) as sleeper:
        sleeper.write(SCORES, rows(lake, ("a", 1)), author="r1")
        overtaken = Overtaken(lake.spark, lake.root, lake.storage, lease=sleeper.lease)
        with pytest.raises(AnotherWriter, match="wrote version 2 at the same time as run r1"):
            overtaken.replace(SCORES, rows(lake, ("b", 2)), sites=(), base=0, author="r1")
