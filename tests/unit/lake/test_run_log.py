"""The log of runs in a folder: numbers, statuses, and what a listing answers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cqa_spark.errors import AnotherWriter, ContractError, InputError
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import InputRecord, RunRecord, StepRecord
from cqa_spark.object_store.folder import Folder

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
FULL = RunRecord(
    "r1", "succeeded", "run", "c0ffee", "task: x\n", "0.1", (InputRecord("a.xml", "train", 3, None),),
    (StepRecord("ingest", 3, 2, 1, 0.5),), {"posts": 4}, {"report": "/r.html"}, "run finished", 0, NOON,
)  # fmt: skip


class Counted(Folder):
    """A folder that counts how many objects are read."""

    reads = 0

    def read(self, key: str):  # type: ignore[no-untyped-def]
        self.reads += 1
        return super().read(key)


@pytest.fixture
def store(tmp_path: Path) -> Counted:
    return Counted(str(tmp_path / "lake"))


@pytest.fixture
def log(store: Counted) -> RunLog:
    return RunLog(store)


def record(run_id: str, status: str) -> RunRecord:
    return RunRecord(run_id, status, "run", "c0ffee", "task: x\n", "0.1", recorded_at=NOON)


def fill(log: RunLog, *entries: str) -> None:
    """Append records, each written as run and status."""
    for entry in entries:
        run_id, status = entry.split()
        log.append(record(run_id, status))


def shown(records: list[RunRecord]) -> list[str]:
    return [f"{each.sequence} {each.run_id} {each.status}" for each in records]


def test_a_record_is_read_as_it_was_written_but_for_its_number(log: RunLog) -> None:
    numbered = log.append(FULL)
    assert numbered == replace(FULL, sequence=1)
    assert log.records() == [numbered]


def test_records_are_numbered_without_gaps_and_read_in_order(log: RunLog, store: Counted) -> None:
    fill(log, "b running", "a running", "b succeeded", "a failed")
    assert shown(log.records()) == ["1 b running", "2 a running", "3 b succeeded", "4 a failed"]
    assert list(store.keys()) == [
        "journal/runs/0000000001.running.b.parquet",
        "journal/runs/0000000002.running.a.parquet",
        "journal/runs/0000000003.succeeded.b.parquet",
        "journal/runs/0000000004.failed.a.parquet",
    ]


def test_ten_records_and_more_are_in_order_of_their_numbers(log: RunLog) -> None:
    fill(log, *[f"r{number} running" for number in range(12)])
    assert [each.sequence for each in log.records()] == list(range(1, 13))


def test_records_of_a_run_or_of_a_status_are_found_by_their_names(log: RunLog, store: Counted) -> None:
    fill(log, "r1 running", "r2 running", "r1 succeeded", "r1 published")
    store.reads = 0
    assert shown(log.records("r1")) == ["1 r1 running", "3 r1 succeeded", "4 r1 published"]
    assert shown(log.records(status="running")) == ["1 r1 running", "2 r2 running"]
    assert shown(log.records("r2", "succeeded")) == []
    assert store.reads == 5


def test_the_newest_record_of_each_run(log: RunLog) -> None:
    fill(log, "r1 running", "r2 running", "r1 succeeded", "r2 failed", "r1 published")
    assert shown(log.newest()) == ["5 r1 published", "4 r2 failed"]


@pytest.mark.parametrize("run_id", ["a.b..c", "running.r1", "a/b", "../c", "50%", "50%25", "a b:c", "é", "x.parquet"])
def test_a_run_of_any_name_is_found(log: RunLog, run_id: str) -> None:
    for status in ("running", "succeeded"):
        log.append(record(run_id, status))
    assert [(each.run_id, each.status) for each in log.records(run_id)] == [
        (run_id, "running"),
        (run_id, "succeeded"),
    ]
    assert log.require_success(run_id).sequence == 2


def test_an_empty_log(log: RunLog) -> None:
    assert (log.records(), log.newest(), log.last_success("r1")) == ([], [], None)
    log.close_abandoned("power cut")
    assert log.records() == []
    with pytest.raises(InputError) as refused:
        log.require_success("r1")
    assert refused.value.remedy == "start one with: cqa run --config FILE"


def test_the_last_success_is_the_newest_record_with_complete_tables(log: RunLog) -> None:
    fill(log, "r1 running", "r1 succeeded", "r1 published", "r1 running", "r1 failed", "r2 running", "r3 succeeded")
    assert log.require_success("r1").sequence == 3
    assert log.last_success("r2") is None
    with pytest.raises(InputError, match="no run r2 has succeeded") as refused:
        log.require_success("r2")
    assert refused.value.remedy == "choose one of: r1, r3"


def test_runs_that_never_recorded_their_end_are_closed_as_failed(log: RunLog) -> None:
    fill(log, "r1 running", "r2 running", "r2 stopped", "r3 running", "r1 succeeded", "r4 running")
    log.close_abandoned("ended without a record")
    assert shown(log.records())[6:] == ["7 r3 failed", "8 r4 failed"]
    closed = log.records("r3")[-1]
    assert closed.message == "ended without a record"
    assert closed.recorded_at > NOON
    log.close_abandoned("ended without a record")
    assert len(log.records()) == 8


def test_a_run_that_began_again_after_its_success_is_closed(log: RunLog) -> None:
    fill(log, "r1 running", "r1 succeeded", "r1 running")
    log.close_abandoned("ended without a record")
    assert shown(log.records())[3:] == ["4 r1 failed"]
    assert log.require_success("r1").sequence == 2


def test_a_publication_that_the_log_lacks_is_added_once(log: RunLog) -> None:
    first = record("r1", "published")
    again = replace(first, recorded_at=NOON + timedelta(seconds=1))
    for publication in (first, first, again, again):
        log.append_published(publication)
        fill(log, "r2 running")
    assert shown(log.records(status="published")) == ["1 r1 published", "4 r1 published"]


def test_of_two_who_append_at_once_one_is_refused(store: Counted) -> None:
    class Late(Counted):
        """Another process appends between the listing and the write."""

        def create(self, key: str, data: bytes) -> str:
            RunLog(store).append(record("r1", "running"))
            return super().create(key, data)

    with pytest.raises(AnotherWriter, match="another process is writing the run log"):
        RunLog(Late(store.root)).append(record("r1", "running"))
    assert shown(RunLog(store).records()) == ["1 r1 running"]


def test_a_record_that_is_removed_while_it_is_read_is_named(log: RunLog, store: Counted) -> None:
    fill(log, "r1 running", "r2 running", "r3 running")

    class Removing(Counted):
        """Another process removes a record between the listing and the reading."""

        def keys(self, prefix: str = "", after: str = "") -> Iterator[str]:
            listed = list(super().keys(prefix, after))
            self.delete("journal/runs/0000000002.running.r2.parquet")
            return iter(listed)

    with pytest.raises(ContractError, match=r"0000000002\.running\.r2\.parquet is missing"):
        RunLog(Removing(store.root)).records()


def test_a_record_that_is_missing_is_named_by_its_number(log: RunLog, store: Counted) -> None:
    fill(log, "r1 running", "r1 succeeded", "r2 running")
    store.delete("journal/runs/0000000002.succeeded.r1.parquet")
    with pytest.raises(ContractError) as gap:
        log.newest()
    assert gap.value.problem == (
        f"{store.root}/journal/runs/0000000002.….parquet is missing: "
        "the next record is journal/runs/0000000003.running.r2.parquet"
    )


@pytest.mark.parametrize("name", ["notes.txt", "1.running.r1.parquet", "0000000002.running.parquet"])
def test_a_file_that_is_no_record_is_named(log: RunLog, store: Counted, name: str) -> None:
    fill(log, "r1 running")
    store.put(f"journal/runs/{name}", b"")
    with pytest.raises(ContractError, match=f"{name} is damaged: its name is not that of a record"):
        log.records()


def test_a_file_of_another_table_is_no_record(log: RunLog, store: Counted) -> None:
    fill(log, "r1 running")
    buffer = io.BytesIO()
    pq.write_table(pa.table({"system": ["best_a"], "run_id": ["r1"]}), buffer)
    store.put("journal/runs/0000000001.running.r1.parquet", buffer.getvalue())
    with pytest.raises(ContractError, match="is damaged: it has no values of sequence, status, recorded_at"):
        log.records()


def test_a_record_that_is_damaged_is_named(log: RunLog, store: Counted) -> None:
    fill(log, "r1 running")
    key = "journal/runs/0000000001.running.r1.parquet"
    store.put(key, b"no Parquet")
    with pytest.raises(ContractError) as damaged:
        log.records()
    assert damaged.value.problem.startswith(f"{store.root}/{key} is damaged: ")


def test_restored_records_keep_their_numbers_and_later_ones_follow(log: RunLog) -> None:
    numbered = [replace(record("r1", "running"), sequence=1), replace(record("r1", "succeeded"), sequence=2)]
    for _ in range(2):
        log.restore(numbered)
    assert log.records() == numbered
    fill(log, "r2 running")
    assert shown(log.records()) == ["1 r1 running", "2 r1 succeeded", "3 r2 running"]
