"""Exports of a few rankings, of sites with names that paths encode."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.cli import main
from cqa_spark.lake.exports import current_export
from cqa_spark.lake.garbage import remove_attempts
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.leased import hold
from cqa_spark.lake.published_copies import copy_of
from cqa_spark.lake.publishing import publish, published_snapshot
from cqa_spark.lake.run_lifecycle import open_run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.steps import export

SITES = ["it's 100% a:b", 'the "best"/a=b', "50%25", "[x]?*", "007", "Zürich 日本"]
MANIFEST = "exports/current.json"


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "my lake's 100%"))


def published(
    lake: Lake,
    run_id: str,
    rows: dict[tuple[str, str], int],
    config: str = "system: served\n",
    base: int | None = None,
) -> None:
    """Publish a run with a query of so many candidates for each system and site, beside other sites of a version."""
    values = [
        (run_id, system, site, "task", "test", "q1", f"c{rank}", 1.0 / rank, rank, True)
        for (system, site), candidates in rows.items()
        for rank in range(1, candidates + 1)
    ]
    begin = RunRecord(run_id, "running", "nightly", config_hash="c0ffee", config=config, code_version="0")
    with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
        frame = lake.spark.createDataFrame(values, RANKINGS.schema).coalesce(1)
        run.replace(RANKINGS, frame, sites={site for _, site in rows}, base=base)
    with hold(lake, Holder.of_this_process("test")) as held:
        publish(held, run_id)


def manifest(lake: Lake) -> dict[str, Any]:
    stored = lake.objects.read(MANIFEST)
    assert stored is not None
    found: dict[str, Any] = json.loads(stored.data)
    return found


def require_exported(lake: Lake, rows: dict[str, int]) -> None:
    """The manifest names every row of every site, in files that are where and what it says."""
    files = manifest(lake)["files"]
    for file_format in ("parquet", "json"):
        assert {file["site"]: file["rows"] for file in files if file["format"] == file_format} == rows
    for file in files:
        stored = lake.objects.read(file["path"])
        assert stored is not None, file
        assert (file["bytes"], file["sha256"]) == (len(stored.data), sha256(stored.data).hexdigest())
        if file["format"] == "json":
            assert [json.loads(line)["rank"] for line in stored.data.splitlines()] == [*range(1, file["rows"] + 1)]


def test_every_site_is_in_the_manifest_whatever_its_name(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {site: place + 1 for place, site in enumerate(SITES)}
    published(lake, "r1", {("served", site): count for site, count in rows.items()} | {("other", "007"): 7})
    assert main(["export", "--lake", lake.root]) == 0
    assert f"exported r1, rankings by served: {lake.root}/{MANIFEST}" in capsys.readouterr().out
    assert (manifest(lake)["run_id"], manifest(lake)["system"]) == ("r1", "served")
    require_exported(lake, rows)


def test_every_site_is_in_the_manifest_in_a_bucket(spark: SparkSession, s3: S3Server) -> None:
    reach(spark, s3)
    lake = Lake(spark, s3.location("exporting"), s3.settings)
    rows = dict.fromkeys(SITES[:2], 2)
    published(lake, "r1", {("served", site): count for site, count in rows.items()})
    assert main(["export", "--lake", lake.root, *s3.flags]) == 0
    require_exported(lake, rows)


def test_an_export_stays_until_another_is_whole(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through an export that lacks rows, a rollback, garbage collection, and while the same run is exported again."""
    published(lake, "r1", {("served", "a"): 1})
    assert main(["export", "--lake", lake.root]) == 0
    published(lake, "r2", {("served", "a"): 2, ("served", "it's"): 3})
    with monkeypatch.context() as patch:
        whole = export.exported_files
        patch.setattr(export, "exported_files", lambda *of: [each for each in whole(*of) if each.site == "a"])
        assert main(["export", "--lake", lake.root]) == 5
    told = capsys.readouterr().err
    assert """the export of run r2 is incomplete: 0 of 3 rows of site "it's" in json files""" in told
    assert manifest(lake)["run_id"] == "r1"
    require_exported(lake, {"a": 1})

    # A night that was killed after publishing leaves this too: r2 is published, and r1 is what is exported.
    Path(lake.root, "exports", "r0").mkdir()
    with hold(lake, Holder.of_this_process("test")) as held:
        assert remove_attempts(held, [RunLog(lake.objects).require_success("r2")]) == ["exports/r0"]
    require_exported(lake, {"a": 1})

    assert main(["runs", "rollback", "--lake", lake.root]) == 0
    hint = f"{MANIFEST} still names run r1; to export the published run: cqa export --lake {lake.root}"
    assert hint in capsys.readouterr().out
    first = {file["path"] for file in manifest(lake)["files"]}
    assert main(["export", "--lake", lake.root]) == 0
    require_exported(lake, {"a": 1})
    second = {file["path"] for file in manifest(lake)["files"]}
    assert (len(first), len(second), first & second) == (2, 2, set())
    assert all(lake.objects.read(path) for path in first)


def test_a_night_writes_the_files_of_sites_whose_rankings_changed(lake: Lake) -> None:
    """Those of the export, which garbage collection keeps, and those of the copy for readers of Delta."""
    published(lake, "r1", {("served", "a"): 1, ("served", "b"): 2})
    assert main(["export", "--lake", lake.root]) == 0
    before = {file["path"]: file["site"] for file in manifest(lake)["files"]}
    published(lake, "r2", {("served", "a"): 3}, base=0)
    with hold(lake, Holder.of_this_process("test")) as held:
        export.export_rankings(held, published_snapshot(lake), "served", since=current_export(lake))
        assert remove_attempts(held, [RunLog(lake.objects).require_success("r2")]) == []
    require_exported(lake, {"a": 3, "b": 2})
    after = {file["path"]: file["site"] for file in manifest(lake)["files"]}
    assert {site for path, site in after.items() if path in before} == {"b"}
    assert {site for path, site in after.items() if path not in before} == {"a"}
    copy = copy_of(RANKINGS)
    assert lake.state(copy, 1).changed_sites(lake.state(copy, 0)) == {"a"}
    assert lake.read(copy, 1).groupBy("site").count().orderBy("site").collect() == [("a", 3), ("b", 2)]


def test_the_system_is_named_where_the_run_names_none(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    published(lake, "r1", {("given_order", "a"): 1, ("random", "a"): 2}, config="systems: [given_order, random]\n")
    assert main(["export", "--lake", lake.root]) == 3
    assert "name one: --system, of given_order, random" in capsys.readouterr().err
    assert main(["export", "--lake", lake.root, "--system", "first_answer"]) == 3
    assert "run r1 has no rankings by first_answer" in capsys.readouterr().err
    assert lake.objects.read(MANIFEST) is None


def test_a_model_is_no_garbage_where_its_path_is_spelled_otherwise(lake: Lake) -> None:
    for model in ("r0/4/x", "r0/40/x"):
        Path(lake.root, "models", model).mkdir(parents=True)
    kept = RunRecord("r1", "published", "nightly", "c0ffee", "", "0", artifacts={"model/x": "build/lake/models/r0/4/x"})
    with hold(lake, Holder.of_this_process("test")) as held:
        assert remove_attempts(held, [kept]) == ["models/r0/40"]
