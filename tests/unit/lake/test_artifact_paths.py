"""Paths of artifacts in run records: a lake may be copied, moved, and opened from any folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cqa_spark.lake.artifact_paths import from_stored, to_stored
from cqa_spark.lake.pointer import claim, point_to, read_pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.object_store.folder import Folder


def record(config: str = "", **artifacts: str) -> RunRecord:
    return RunRecord("r1", "succeeded", "run", "c0ffee", config, "0", artifacts=artifacts)


@pytest.mark.parametrize(
    ("path", "root", "stored"),
    [
        ("build/lake/models/r1/2/best_a", "build/lake", "lake:models/r1/2/best_a"),
        ("/srv/build/lake/reports/r1.html", "build/lake/", "lake:reports/r1.html"),
        ("best_a.pred", "build/lake", "/srv/best_a.pred"),
        ("build/lake2/reports/r1.html", "build/lake", "/srv/build/lake2/reports/r1.html"),
        ("s3a://bucket/lake/reports/r1.html", "s3a://bucket/lake", "lake:reports/r1.html"),
        ("s3a://bucket/other/r1.html", "s3a://bucket/lake", "s3a://bucket/other/r1.html"),
    ],
)
def test_paths_in_the_lake_are_stored_relative_to_it_and_others_absolute(
    path: str, root: str, stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getcwd", lambda: "/srv")
    assert to_stored(record(report=path), root).artifacts == {"report": stored}


@pytest.mark.parametrize(
    ("stored", "config", "path"),
    [
        ("lake:models/r1/2/best_a", "", "moved/lake/models/r1/2/best_a"),
        ("build/lake/models/r1/2/best_a", "lake: build/lake\n", "moved/lake/models/r1/2/best_a"),
        ("s3a://old/lake/models/r1/2/best_a", "lake: s3a://old/lake/\n", "moved/lake/models/r1/2/best_a"),
        ("/elsewhere/best_a", "lake: build/lake\n", "/elsewhere/best_a"),
        ("build/lake/models/r1/2/best_a", "", "build/lake/models/r1/2/best_a"),
    ],
)
def test_paths_follow_the_lake_and_so_do_those_of_earlier_releases(stored: str, config: str, path: str) -> None:
    assert from_stored(record(config, model=stored), "moved/lake/").artifacts == {"model": path}


def test_a_copied_lake_names_its_own_artifacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Folder("lake")
    written = RunLog(store).append(record(report="lake/reports/r1.html", predictions="best_a.pred"))
    claim(store, 1)
    point_to(store, written, 1)
    shutil.copytree("lake", "elsewhere/copy")
    monkeypatch.chdir(tmp_path / "elsewhere")
    expected = {"report": "copy/reports/r1.html", "predictions": str(tmp_path / "best_a.pred")}
    assert RunLog(Folder("copy")).require_success("r1").artifacts == expected
    published = read_pointer(Folder("copy")).record
    assert published is not None
    assert published.artifacts == expected
