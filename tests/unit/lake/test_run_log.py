"""The log of runs in a folder: numbers, statuses, and what a listing answers."""

import errno
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_runs import (
    NOTES,
    crash,
    finished,
    lake_at,
    new_files,
    opened,
    published,
    put_users,
    stored_bytes,
    users,
)

from cqa_spark.errors import AnotherWriter, ContractError, InputError
from cqa_spark.lake import run as run_lifecycle
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.manifest import read_manifest
from cqa_spark.lake.run_log import InputRecord, RunLog, RunRecord, StepRecord, from_stored, to_stored
from cqa_spark.lake.schemas.community import COMMENTS, USERS
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.lake.table import NO_FILES
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import Stored
from cqa_spark.process.signals import Stopped

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


# Paths of artifacts in run records: a lake may be copied, moved, and opened from any folder.


def run_with(**artifacts: str) -> RunRecord:
    return RunRecord("r1", "succeeded", "run", "c0ffee", "", "0", artifacts=artifacts)


@pytest.mark.parametrize(
    ("path", "root", "stored"),
    [
        ("build/lake/runs/r1.2/models/best_a", "build/lake", "lake:runs/r1.2/models/best_a"),
        ("/srv/build/lake/runs/r1.2/report.html", "build/lake/", "lake:runs/r1.2/report.html"),
        ("best_a.pred", "build/lake", "/srv/best_a.pred"),
        ("build/lake2/runs/r1.2/report.html", "build/lake", "/srv/build/lake2/runs/r1.2/report.html"),
        ("s3a://bucket/lake/runs/r1.2/report.html", "s3a://bucket/lake", "lake:runs/r1.2/report.html"),
        ("s3a://bucket/other/report.html", "s3a://bucket/lake", "s3a://bucket/other/report.html"),
    ],
)
def test_paths_in_the_lake_are_stored_relative_to_it_and_others_absolute(
    path: str, root: str, stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getcwd", lambda: "/srv")
    assert to_stored(run_with(report=path), root).artifacts == {"report": stored}


@pytest.mark.parametrize(
    ("stored", "path"),
    [
        ("lake:runs/r1.2/models/best_a", "moved/lake/runs/r1.2/models/best_a"),
        ("/elsewhere/best_a", "/elsewhere/best_a"),
        ("s3a://bucket/best_a", "s3a://bucket/best_a"),
    ],
)
def test_paths_in_the_lake_follow_it_and_others_stay(stored: str, path: str) -> None:
    assert from_stored(run_with(model=stored), "moved/lake/").artifacts == {"model": path}


def test_a_copied_lake_names_its_own_artifacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RunLog(Folder("lake")).append(run_with(report="lake/runs/r1.1/report.html", predictions="best_a.pred"))
    shutil.copytree("lake", "elsewhere/copy")
    monkeypatch.chdir(tmp_path / "elsewhere")
    expected = {"report": "copy/runs/r1.1/report.html", "predictions": str(tmp_path / "best_a.pred")}
    assert RunLog(Folder("copy")).require_success("r1").artifacts == expected


# Runs of two small tables, without Spark: what they record, have, and continue.


def test_a_run_logs_its_beginning_its_end_and_what_it_did(lake: Lake) -> None:
    seen: list[StepRecord] = []
    begin = RunRecord("r1", "running", "run", "c0ffee", "task: x\n", "0")
    with run_lifecycle.open_run(lake, begin, resume=False, on_step=seen.append) as run:
        run.add_inputs([InputRecord("a.xml", "train", 3, "abc")])
        with run.step("ingest") as step:
            step.rows_in, step.rows_out, step.rows_quarantined = 3, 2, 1
        put_users(run, a="xy", b="z")
        run.write_entries(NOTES, [{"note": "n"}])
        run.add_artifact("report", "/r1.html")
    running, succeeded = RunLog(lake.objects).records("r1")
    assert (running.sequence, running.status, running.attempt) == (1, "running", 1)
    assert (succeeded.sequence, succeeded.status, succeeded.attempt) == (2, "succeeded", 1)
    assert succeeded.inputs == (InputRecord("a.xml", "train", 3, "abc"),)
    assert [(s.step, s.rows_in, s.rows_out, s.rows_quarantined) for s in succeeded.steps] == [("ingest", 3, 2, 1)]
    assert [s.step for s in seen] == ["ingest"]
    assert succeeded.tables == {"users": 3, "notes": 1}
    assert succeeded.artifacts == {"report": "/r1.html"}


def test_a_manifest_names_the_files_of_the_run_and_nothing_else_that_lies_there(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        new_files(run, USERS, {"a": [{"user_id": "of a write that was not used"}]})
        put_users(run, a="x")
        run.write_entries(NOTES, [{"note": "n"}])
        lake.objects.put("runs/r1.1/models/best_a/model.json", b"{}")
        run.add_artifact("model:best_a", run.artifact_path("models", "best_a"))
        run.add_artifact("predictions", "/elsewhere/best_a.pred")
    manifest = read_manifest(lake.objects, run.record)
    (file,) = manifest.tables["users"].files
    sizes = lake.objects.sizes()
    expected = [file.path, "runs/r1.1/notes.parquet", "runs/r1.1/models/best_a/model.json"]
    assert manifest.all_sizes() == {path: sizes[path] for path in expected}
    assert manifest.entries == {"notes": "runs/r1.1/notes.parquet"}
    assert file.path.startswith("tables/users/r1.1/")


@pytest.mark.parametrize("root", ["lake", "lake/", "./lake", "{here}/lake"])
@pytest.mark.parametrize("model", ["lake", "{here}/lake"])
def test_a_manifest_names_the_models_of_other_runs_that_the_run_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str, model: str
) -> None:
    """However the paths of the lake and of the model are written."""
    monkeypatch.chdir(tmp_path)
    lake = lake_at(root.format(here=tmp_path))
    with opened(lake, "r1"):
        for name in ("models/best_a/model.json", "models/best_a/trees/0.json", "models/best_ab/model.json"):
            lake.objects.put(f"runs/r1.1/{name}", b"{}")
    with opened(lake, "r2") as run:
        run.add_artifact("model/best_a", f"{model.format(here=tmp_path)}/runs/r1.1/models/best_a")
    assert read_manifest(lake.objects, run.record).sizes == {
        "runs/r1.1/models/best_a/model.json": 2,
        "runs/r1.1/models/best_a/trees/0.json": 2,
    }


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (Stopped(signal.SIGTERM), "stopped", "stopped by SIGTERM"),
        (RuntimeError("power cut"), "failed", "RuntimeError: power cut"),
        (InputError("no posts", "give some"), "failed", "no posts"),
    ],
)
def test_a_run_that_does_not_reach_its_end_is_logged_and_has_no_manifest(
    lake: Lake, error: BaseException, status: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lifecycle, "cancel_jobs", lambda: None)  # of Spark
    with pytest.raises(type(error)) as raised:
        crash(lake, error)
    assert raised.value.__notes__ == [f"run r3 is recorded as {status}"]
    assert [(r.status, r.message) for r in RunLog(lake.objects).records()] == [("running", None), (status, message)]
    assert lake.objects.read("runs/r3.1/manifest.json") is None
    with pytest.raises(InputError, match="no run r3 has succeeded"):
        published(lake, "r3")


def test_what_made_a_run_fail_is_raised_also_where_the_end_cannot_be_logged(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(log: RunLog, record: RunRecord) -> RunRecord:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(RuntimeError, match="power cut"):
        crash(lake, RuntimeError("power cut"), before=lambda: monkeypatch.setattr(RunLog, "append", refuse))
    assert [each.status for each in RunLog(lake.objects).records()] == ["running"]


def test_a_later_job_goes_on_with_what_its_run_has_in_files_of_its_own(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        put_users(run, a="x")
        run.write_entries(NOTES, [{"note": "first"}])
        lake.objects.put("runs/r1.1/report.html", b"of the first attempt")
        run.add_artifact("report", run.artifact_path("report.html"))
    before = stored_bytes(lake)
    with opened(lake, "r1", resume=True) as again:
        assert users(again) == ["a/x"]
        assert again.entries(NOTES) == [{"note": "first"}]
        assert again.record.artifacts == {"report": f"{lake.root}/runs/r1.1/report.html"}
        assert again.artifact_path("report.html") == f"{lake.root}/runs/r1.3/report.html"
        again.put(USERS, again.files(USERS).united(new_files(again, USERS, {"b": [{"user_id": "y"}]})))
        again.write_entries(NOTES, [{"note": "second"}])
    snapshot = snapshot_of(lake, "r1")
    assert (snapshot.record.attempt, snapshot.record.tables) == (3, {"users": 2, "notes": 1})
    assert (users(snapshot), snapshot.entries(NOTES)) == (["a/x", "b/y"], [{"note": "second"}])
    assert before.items() <= stored_bytes(lake).items()


def test_a_run_that_starts_from_scratch_has_nothing_of_its_last_attempt(lake: Lake) -> None:
    finished(lake, "r1", a="x")
    with opened(lake, "r1") as run:
        assert (run.tables, run.entry_files, run.record.attempt) == ({}, {}, 3)


def test_a_table_that_was_not_written_names_the_way_out(lake: Lake) -> None:
    with pytest.raises(InputError, match="run r1 has no table comments") as refused, opened(lake, "r1") as run:
        run.files(COMMENTS)
    assert "--run-id" in refused.value.remedy
    finished(lake, "r2", a="x")
    with pytest.raises(InputError, match="run r2 has no table comments") as refused:
        snapshot_of(lake, "r2").files(COMMENTS)
    assert "cqa runs show" in refused.value.remedy


def test_sites_of_which_rows_changed_between_runs(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        put_users(run, a="x", b="y", c="z")
    before = snapshot_of(lake, "r1")
    with opened(lake, "r2") as run:
        new = new_files(run, USERS, {"b": [{"user_id": "w"}], "d": [{"user_id": "v"}]})
        run.put(USERS, before.files(USERS).without(["b", "c"]).united(new))
        run.put(COMMENTS, NO_FILES)
        assert run.changed_sites([USERS, COMMENTS], since=before) == {"b", "c", "d"}
        assert run.files(USERS).files != before.files(USERS).files


def test_a_run_whose_model_is_not_listed_does_not_succeed(lake: Lake) -> None:
    lake.objects.put("runs/r0.1/models/best_ab/model.json", b"{}")
    model = lake.path("runs", "r0.1", "models", "best_a")
    with pytest.raises(ContractError, match=f"{model} is missing: run r1 uses it"), opened(lake, "r1") as run:
        run.add_artifact("model/best_a", model)
    assert [each.status for each in RunLog(lake.objects).records("r1")] == ["running", "failed"]


def test_a_run_that_uses_all_files_of_another_needs_no_files_of_its_own(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        put_users(run, a="x")
        run.write_entries(NOTES, [{"note": "n"}])
        lake.objects.put("runs/r1.1/models/best_a/model.json", b"{}")
        run.add_artifact("model:best_a", run.artifact_path("models", "best_a"))
    first = snapshot_of(lake, "r1")
    with opened(lake, "r2") as run:
        run.carry(first)
    second = snapshot_of(lake, "r2")
    assert second.manifest == first.manifest
    assert (second.record.tables, second.record.artifacts) == (first.record.tables, first.record.artifacts)
    assert list(lake.objects.sizes("runs/r2")) == ["runs/r2.3/manifest.json"]
