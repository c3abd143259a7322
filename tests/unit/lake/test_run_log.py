"""The log of runs in a folder: numbers, statuses, and what a listing answers."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cqa_spark.errors import AnotherWriter, ContractError, InputError
from cqa_spark.lake.run_log import InputRecord, RunLog, RunRecord, StepRecord
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import Stored

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
FULL = RunRecord(
    "r1", "succeeded", "run", "c0ffee", "task: x\n", "0.1", 1, (InputRecord("a.xml", "train", 3, None),),
    (StepRecord("ingest", 3, 2, 1, 0.5),), {"posts": 4}, {"report": "/r.html"}, "run finished", 0, NOON,
)  # fmt: skip


class Counted(Folder):
    """A folder that counts how many objects are read."""

    reads = 0

    def read(self, key: str) -> Stored | None:
        self.reads += 1
        return super().read(key)


@pytest.fixture
def store(tmp_path: Path) -> Counted:
    return Counted(str(tmp_path / "lake"))


@pytest.fixture
def log(store: Counted) -> RunLog:
    return RunLog(store)


def record(run_id: str, status: str, attempt: int = 1) -> RunRecord:
    return RunRecord(run_id, status, "run", "c0ffee", "task: x\n", "0.1", attempt, recorded_at=NOON)


def fill(log: RunLog, *entries: str) -> None:
    """Append records, each written as run, status and perhaps attempt."""
    for entry in entries:
        run_id, status, *attempt = entry.split()
        log.append(record(run_id, status, *map(int, attempt)))


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
        "runs/log/0000000001.running.b.1.json",
        "runs/log/0000000002.running.a.1.json",
        "runs/log/0000000003.succeeded.b.1.json",
        "runs/log/0000000004.failed.a.1.json",
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


@pytest.mark.parametrize("run_id", ["a.b..c", "running.r1", "r1.2", "2026-01-01.1.json", "-", "x_y"])
def test_a_run_of_any_name_that_settings_allow_is_found(log: RunLog, run_id: str) -> None:
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


def test_the_last_success_of_a_run(log: RunLog) -> None:
    fill(log, "r1 running", "r1 succeeded", "r1 published", "r1 running", "r1 failed", "r2 running", "r3 succeeded")
    assert log.require_success("r1").sequence == 2
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


def test_a_record_that_has_its_number_is_added_under_it_once(log: RunLog) -> None:
    fill(log, "r1 running", "r1 succeeded")
    publication = replace(record("r1", "published"), sequence=3)
    assert not log.has(publication)
    log.complete(publication)
    assert log.has(publication)
    assert log.records()[-1] == publication
    with pytest.raises(AnotherWriter, match="another process is writing the run log"):
        log.complete(publication)
    assert not log.has(replace(publication, attempt=2))
    fill(log, "r2 running")
    assert log.next_sequence() == 5


def test_a_record_of_a_process_that_was_overtaken_beside_another_of_its_number(log: RunLog) -> None:
    fill(log, "r1 running", "r1 succeeded", "r2 running")
    log.complete(replace(record("late", "failed"), sequence=2))
    fill(log, "r2 succeeded")
    assert shown(log.records()) == [
        "1 r1 running", "2 late failed", "2 r1 succeeded", "3 r2 running", "4 r2 succeeded",
    ]  # fmt: skip
    assert log.require_success("r1").sequence == 2


def test_an_attempt_whose_files_were_collected_is_no_success(log: RunLog, tmp_path: Path) -> None:
    fill(log, "r1 succeeded 1", "r1 succeeded 2", "r2 succeeded 3", "r1 collected 2")
    assert log.require_success("r1").attempt == 1
    fill(log, "r1 collected 1")
    with pytest.raises(InputError) as refused:
        log.require_success("r1")
    assert (refused.value.problem, refused.value.remedy) == (
        f"run r1 of {tmp_path}/lake was collected",
        "choose one of: r2",
    )


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
            self.delete("runs/log/0000000002.running.r2.1.json")
            return iter(listed)

    with pytest.raises(ContractError, match=r"0000000002\.running\.r2\.1\.json is missing"):
        RunLog(Removing(store.root)).records()


def test_a_record_that_is_missing_is_named_by_its_number(log: RunLog, store: Counted) -> None:
    fill(log, "r1 running", "r1 succeeded", "r2 running")
    store.delete("runs/log/0000000002.succeeded.r1.1.json")
    with pytest.raises(ContractError) as gap:
        log.newest()
    assert gap.value.problem == (
        f"{store.root}/runs/log/0000000002.….json is missing: the next record is runs/log/0000000003.running.r2.1.json"
    )


@pytest.mark.parametrize(
    "name", ["notes.txt", "1.running.r1.1.json", "0000000002.running.1.json", "0000000002.running.r1.json"]
)
def test_a_file_that_is_no_record_is_named(log: RunLog, store: Counted, name: str) -> None:
    fill(log, "r1 running")
    store.put(f"runs/log/{name}", b"")
    with pytest.raises(ContractError, match=f"{name} is damaged: its name is not that of a record"):
        log.records()


@pytest.mark.parametrize("content", [b"", b"no JSON", b"{}", b'{"run_id": "r1"}', b"[]", b"\xff\xfe"])
def test_a_record_that_is_damaged_is_named(log: RunLog, store: Counted, content: bytes) -> None:
    fill(log, "r1 running")
    key = "runs/log/0000000001.running.r1.1.json"
    store.put(key, content)
    with pytest.raises(ContractError) as damaged:
        log.records()
    assert damaged.value.problem.startswith(f"{store.root}/{key} is damaged: ")
