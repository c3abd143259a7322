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
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.holding import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run_lifecycle import open_run
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.object_store.locations import open_store
from cqa_spark.steps import rankings_export
from cqa_spark.steps.rankings_export import MANIFEST

SITES = ["it's 100% a:b", 'the "best"/a=b', "50%25", "[x]?*", "007", "Zürich 日本"]


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "my lake's files"))


def published(
    lake: Lake,
    run_id: str,
    rows: dict[tuple[str, str], int],
    config: str = "system: served\n",
) -> None:
    """Publish a run with a query of so many candidates for each system and site."""
    values = [
        (run_id, system, site, "task", "test", "q1", f"c{rank}", 1.0 / rank, rank, True, None)
        for (system, site), candidates in rows.items()
        for rank in range(1, candidates + 1)
    ]
    begin = RunRecord(run_id, "running", "nightly", config_hash="c0ffee", config=config, code_version="0")
    with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
        frame = lake.spark.createDataFrame(values, RANKINGS.schema).coalesce(1)
        run.write(RANKINGS, frame)
    with hold(lake, Holder.of_this_process("test")) as held:
        publish(held, run_id)


def exported(folder: Path | str, s3: S3Server | None = None) -> dict[str, Any]:
    """The manifest, whose files hold the rows that it says."""
    objects = open_store(str(folder), s3.settings if s3 else None)
    stored = objects.read(MANIFEST)
    assert stored is not None
    manifest: dict[str, Any] = json.loads(stored.data)
    for file in manifest["files"]:
        content = objects.read(file["path"])
        assert content is not None, file
        assert (file["bytes"], file["sha256"]) == (len(content.data), sha256(content.data).hexdigest())
        if manifest["format"] == "jsonl":
            assert [json.loads(line)["rank"] for line in content.data.splitlines()] == [*range(1, file["rows"] + 1)]
    return manifest


def rows_by_site(manifest: dict[str, Any]) -> dict[str, int]:
    return {file["site"]: file["rows"] for file in manifest["files"]}


@pytest.mark.parametrize("file_format", ["parquet", "jsonl", "csv"])
def test_every_site_is_in_the_manifest_whatever_its_name(
    lake: Lake, tmp_path: Path, file_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {site: position + 1 for position, site in enumerate(SITES)}
    published(lake, "r1", {("served", site): count for site, count in rows.items()} | {("other", "007"): 7})
    output = tmp_path / "served files"
    assert main(["export", "published", "--lake", lake.root, "--output", str(output), "--format", file_format]) == 0
    assert f"exported r1, rankings by served: {output}/{MANIFEST}" in capsys.readouterr().out
    manifest = exported(output)
    assert (manifest["run_id"], manifest["system"], manifest["format"]) == ("r1", "served", file_format)
    assert rows_by_site(manifest) == rows


def test_every_site_is_in_the_manifest_in_a_bucket(spark: SparkSession, s3: S3Server) -> None:
    reach(spark, s3)
    lake = Lake(spark, s3.location("exporting"), s3.settings)
    rows = dict.fromkeys(SITES[:2], 2)
    published(lake, "r1", {("served", site): count for site, count in rows.items()})
    output = s3.location("served")
    assert main(["export", "published", "--lake", lake.root, "--output", output, *s3.flags]) == 0
    assert rows_by_site(exported(output, s3)) == rows


def test_an_export_stays_until_another_is_whole(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files of the replaced manifest stay as well, for readers that have them open; other files stay for ever."""
    output = tmp_path / "served"
    (output / "mine").mkdir(parents=True)
    (output / "mine" / "notes.txt").write_text("not ours")
    export = ["export", "r1", "--lake", lake.root, "--output", str(output)]
    published(lake, "r1", {("served", "a"): 1})
    assert main(export) == 0
    first = exported(output)
    published(lake, "r2", {("served", "a"): 2, ("served", "it's"): 3})
    with monkeypatch.context() as patch:
        whole = rankings_export._files
        patch.setattr(rankings_export, "_files", lambda *of: [file for file in whole(*of) if file.site == "a"])
        assert main(["export", "r2", *export[2:]]) == 5
    assert """the export of run r2 is incomplete: 0 of 3 rows of site "it's\"""" in capsys.readouterr().err
    assert exported(output) == first
    assert rows_by_site(first) == {"a": 1}

    assert main(["export", "published", *export[2:]]) == 0
    second = exported(output)
    assert (second["run_id"], rows_by_site(second)) == ("r2", {"a": 2, "it's": 3})
    assert [(output / file["path"]).exists() for file in first["files"]] == [True]
    assert main(export) == 0
    third = exported(output)
    assert (third["run_id"], rows_by_site(third)) == ("r1", {"a": 1})
    assert [(output / file["path"]).exists() for file in first["files"]] == [False]
    assert all((output / file["path"]).exists() for file in second["files"])
    assert (output / "mine" / "notes.txt").read_text() == "not ours"


def test_the_system_is_named_where_the_run_names_none(
    lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = ["export", "published", "--lake", lake.root, "--output", str(tmp_path / "served")]
    published(lake, "r1", {("given_order", "a"): 1, ("random", "a"): 2}, config="systems: [given_order, random]\n")
    assert main(export) == 3
    assert "name one: --system, of given_order, random" in capsys.readouterr().err
    assert main([*export, "--system", "first_answer"]) == 3
    assert "run r1 has no rankings by first_answer" in capsys.readouterr().err
    assert not (tmp_path / "served").exists()
