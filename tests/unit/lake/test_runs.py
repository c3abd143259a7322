"""Runs of two small tables, written, published and rolled back without Spark."""

from __future__ import annotations

import errno
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_runs import (
    NOTES,
    delta_table,
    finished,
    held,
    lake_at,
    new_files,
    opened,
    paths,
    published,
    put_users,
    users,
)

from cqa_spark.errors import AnotherWriter, InputError
from cqa_spark.lake import run_lifecycle
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.lease import LASTS, take_lease
from cqa_spark.lake.manifest import read_manifest
from cqa_spark.lake.pointer import change_pointer, claim
from cqa_spark.lake.publishing import publish, published_run, published_snapshot, rollback, snapshot_of
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import InputRecord, RunRecord, StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, USERS
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table_files import NO_FILES
from cqa_spark.process.stop_signals import Stopped


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return lake_at(tmp_path / "lake")


def stored_bytes(lake: Lake) -> dict[str, bytes]:
    """Every file of tables and runs."""
    root = Path(lake.root)
    return {str(path.relative_to(root)): path.read_bytes() for path in root.glob("*s/**/*") if path.is_file()}


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


def test_a_manifest_names_the_models_of_other_runs_that_the_run_uses(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        for name in ("models/best_a/model.json", "models/best_a/trees/0.json", "models/best_ab/model.json"):
            lake.objects.put(f"runs/r1.1/{name}", b"{}")
        path = run.artifact_path("models", "best_a")
    with opened(lake, "r2") as run:
        run.add_artifact("model:best_a", path)
    assert read_manifest(lake.objects, run.record).sizes == {
        "runs/r1.1/models/best_a/model.json": 2,
        "runs/r1.1/models/best_a/trees/0.json": 2,
    }


def crash(lake: Lake, error: BaseException, before: Callable[[], object] = lambda: None) -> None:
    """A run, r3, that raises an error after it has written a table."""
    with opened(lake, "r3") as run:
        put_users(run, a="late")
        before()
        raise error


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
        assert not run.shares(USERS, before)
        assert before.shares(USERS, before)


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


def test_what_a_block_that_failed_has_written_is_forgotten(lake: Lake) -> None:
    def fail(run: Run) -> None:
        with run.undone_on_failure(), run.step("ingest"):
            put_users(run, b="y")
            run.put(COMMENTS, NO_FILES)
            run.write_entries(NOTES, [{"note": "n"}])
            raise InputError("no posts", "give some")

    with opened(lake, "r1") as run:
        put_users(run, a="x")
        with pytest.raises(InputError):
            fail(run)
        with run.undone_on_failure():
            run.put(USERS, run.files(USERS).united(new_files(run, USERS, {"c": [{"user_id": "z"}]})))
    assert users(snapshot_of(lake, "r1")) == ["a/x", "c/z"]
    assert run.record.tables == {"users": 2}
    assert not run.has(COMMENTS)
    assert not run.has(NOTES)


def test_nothing_is_visible_before_it_is_published(lake: Lake) -> None:
    finished(lake, "r1", a="x")
    with pytest.raises(InputError, match="nothing is published"):
        published_snapshot(lake)
    published(lake, "r1")
    finished(lake, "r2", a="y")
    assert users(published_snapshot(lake)) == ["a/x"]
    published(lake, "r2")
    assert users(published_snapshot(lake)) == ["a/y"]
    with pytest.raises(RuntimeError, match="power cut"):
        crash(lake, RuntimeError("power cut"))
    assert users(published_snapshot(lake)) == ["a/y"]


def test_the_same_run_again_converges_and_publishing_twice_adds_no_record(lake: Lake) -> None:
    for _ in range(2):
        finished(lake, "r1", a="x")
        first = published(lake, "r1")
        assert published(lake, "r1") == first
        assert users(published_snapshot(lake)) == ["a/x"]
    assert [each.attempt for each in RunLog(lake.objects).records(status="published")] == [1, 4]


def test_the_report_of_the_lake_is_that_of_the_published_run(lake: Lake) -> None:
    for run_id in ("r1", "r2"):
        with opened(lake, run_id) as run:
            lake.objects.put(f"runs/{run_id}.{run.record.attempt}/report.html", run_id.encode())
    for run_id in ("r1", "r2", "r1"):
        published(lake, run_id)
        assert Path(lake.root, "report.html").read_text() == run_id


def test_rolling_back_is_one_more_record(lake: Lake) -> None:
    for run_id, letter in (("r1", "x"), ("r2", "y")):
        finished(lake, run_id, a=letter)
        published(lake, run_id)
    with held(lake) as leased:
        assert rollback(leased).message == "rolled back from r2"
        assert users(published_snapshot(lake)) == ["a/x"]
        assert rollback(leased, "r2").run_id == "r2"
        with pytest.raises(InputError, match="run r3 was not published before"):
            rollback(leased, "r3")
    assert [each.run_id for each in RunLog(lake.objects).records(status="published")] == ["r1", "r2", "r1", "r2"]


def test_there_must_be_something_to_roll_back_to(lake: Lake) -> None:
    finished(lake, "r1", a="x")
    published(lake, "r1")
    with pytest.raises(InputError, match="no earlier run"), held(lake) as leased:
        rollback(leased)


def test_a_run_without_a_file_of_its_own_is_not_published_and_runs_that_can_be_are_named(lake: Lake) -> None:
    for run_id in ("r1", "r2"):
        finished(lake, run_id, a="x")
        published(lake, run_id)
    finished(lake, "r3", a="y")
    (file,) = snapshot_of(lake, "r3").files(USERS).files
    Path(lake.path(file.path)).unlink()
    with pytest.raises(InputError) as refused:
        published(lake, "r3")
    assert (refused.value.problem, refused.value.remedy) == (
        f"run r3 cannot be published: {lake.path(file.path)} is missing, or was changed; nothing was changed",
        "publish one of: r2, r1",
    )
    assert published_run(lake) == RunLog(lake.objects).records(status="published")[-1]
    assert users(published_snapshot(lake)) == ["a/x"]


def test_who_comes_after_a_dead_writer_completes_its_publication(lake: Lake) -> None:
    success = finished(lake, "r1", a="x")
    dead = Holder.of_this_process("nightly").model_copy(update={"pid": 2**22 + 1})
    lease = take_lease(lake.objects, dead, lambda: datetime.now(UTC))
    claim(lake.objects, lease.token)
    RunLog(lake.objects).append(replace(success, run_id="r2", status="running", attempt=3))
    shown = replace(success, status="published", message="killed before the log was written", sequence=4)
    change_pointer(lake.objects, lease.token, lambda pointer: pointer.model_copy(update={"record": shown}))
    for _ in range(2):
        with held(lake):
            records = RunLog(lake.objects).records()[3:]
            assert [(each.run_id, each.status, each.message) for each in records] == [
                ("r1", "published", shown.message),
                ("r2", "failed", f"ended without a record: {dead}"),
            ]
            assert delta_table(lake) == paths(published_snapshot(lake))
    assert published_run(lake) == shown


def overtake(lake: Lake) -> None:
    """Another process takes the lease, long after this one last renewed it."""
    later = Holder(job="second", host="other", pid=1, machine="another machine", attempt="2")
    take_lease(lake.objects, later, lambda: datetime.now(UTC) + 2 * LASTS, sleep=lambda _: None)


def test_a_process_that_lost_the_lease_writes_nothing_more(lake: Lake) -> None:
    for run_id, letter in (("r1", "x"), ("r2", "y")):
        finished(lake, run_id, a=letter)
        published(lake, run_id)
    finished(lake, "r3", a="z")

    def sleep_and_go_on() -> None:
        with held(lake) as sleeper, opened(sleeper, "late") as run:
            put_users(run, a="late")
            overtake(lake)
            before = stored_bytes(lake)
            for write in (
                lambda: run.write_entries(NOTES, [{"note": "late"}]),
                lambda: publish(sleeper, "r3"),
                lambda: rollback(sleeper),
            ):
                with pytest.raises(AnotherWriter, match="another process has taken the lease"):
                    write()
            assert stored_bytes(lake) == before

    with pytest.raises(AnotherWriter):
        sleep_and_go_on()
    assert users(published_snapshot(lake)) == ["a/y"]
    assert RunLog(lake.objects).last_success("late") is None


@pytest.mark.parametrize("way", [shutil.copytree, shutil.move])
def test_a_lake_that_is_copied_or_moved_is_read_and_written_further(
    lake: Lake, tmp_path: Path, way: Callable[[str, Path], object]
) -> None:
    finished(lake, "r1", a="x")
    published(lake, "r1")
    with opened(lake, "r2") as run:
        lake.objects.put("runs/r2.4/models/best_a/model.json", b"{}")
        run.add_artifact("model:best_a", run.artifact_path("models", "best_a"))
        put_users(run, a="y")
    way(lake.root, tmp_path / "other")
    other = lake_at(tmp_path / "other")
    assert users(published_snapshot(other)) == ["a/x"]
    assert snapshot_of(other, "r2").record.artifacts == {"model:best_a": f"{other.root}/runs/r2.4/models/best_a"}
    with opened(other, "r2", resume=True) as run:
        run.put(USERS, run.files(USERS).united(new_files(run, USERS, {"b": [{"user_id": "z"}]})))
    published(other, "r2")
    assert users(published_snapshot(other)) == ["a/y", "b/z"]
    assert read_manifest(other.objects, run.record).sizes == {"runs/r2.4/models/best_a/model.json": 2}
    with held(other) as leased:
        rollback(leased)
    assert users(published_snapshot(other)) == ["a/x"]
    assert delta_table(other) == paths(published_snapshot(other))
