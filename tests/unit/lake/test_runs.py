"""Runs of two small tables, without Spark: what they record, have, and continue."""

import errno
import signal
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

from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake import run as run_lifecycle
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.manifest import read_manifest
from cqa_spark.lake.run_log import InputRecord, RunLog, RunRecord, StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, USERS
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.lake.table import NO_FILES
from cqa_spark.process.signals import Stopped


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
