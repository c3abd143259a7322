"""Paths of artifacts in run records: a lake may be copied, moved, and opened from any folder."""

import shutil
from pathlib import Path

import pytest

from cqa_spark.lake.run_log import RunLog, RunRecord, from_stored, to_stored
from cqa_spark.object_store.folder import Folder


def record(**artifacts: str) -> RunRecord:
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
    assert to_stored(record(report=path), root).artifacts == {"report": stored}


@pytest.mark.parametrize(
    ("stored", "path"),
    [
        ("lake:runs/r1.2/models/best_a", "moved/lake/runs/r1.2/models/best_a"),
        ("/elsewhere/best_a", "/elsewhere/best_a"),
        ("s3a://bucket/best_a", "s3a://bucket/best_a"),
    ],
)
def test_paths_in_the_lake_follow_it_and_others_stay(stored: str, path: str) -> None:
    assert from_stored(record(model=stored), "moved/lake/").artifacts == {"model": path}


def test_a_copied_lake_names_its_own_artifacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RunLog(Folder("lake")).append(record(report="lake/runs/r1.1/report.html", predictions="best_a.pred"))
    shutil.copytree("lake", "elsewhere/copy")
    monkeypatch.chdir(tmp_path / "elsewhere")
    expected = {"report": "copy/runs/r1.1/report.html", "predictions": str(tmp_path / "best_a.pred")}
    assert RunLog(Folder("copy")).require_success("r1").artifacts == expected
