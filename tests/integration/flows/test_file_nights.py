"""Nights on a folder of threads, trained in the first and then ranked as they are, in the lake of another corpus."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from later_dump import write_later_dump
from pyspark.sql import SparkSession
from two_nights import night

import cqa_spark as cqa
from cqa_spark.cli import main
from cqa_spark.synth.qatar_living import write_sample
from cqa_spark.synth.stackexchange.dump import write_dump

SYSTEM = "logistic_a"
FORUM, BEER = "qatarliving.com", "beer.example.org"
TABLES = ("posts", "comments", "examples", "rankings")

Rows = dict[str, list[str]]


def seen(lake: Path, site: str) -> Rows:
    """The rows of a site that a reader of Delta tables sees, by table."""
    rows = {}
    for name in TABLES:
        files = DeltaTable(str(lake / "tables" / name)).file_uris()
        table = pa.concat_tables(map(pq.read_table, files), promote_options="default")
        rows[name] = sorted(repr(row) for row in table.to_pylist() if row["site"] == site)
    return rows


def rows_of(lake: Path, run_id: str, table: str) -> list[dict[str, Any]]:
    entries = cqa.open_lake(str(lake)).run(run_id).table(table).to_arrow()
    assert set(entries["run_id"].to_pylist()) == {run_id}
    return entries.drop_columns(["run_id"]).to_pylist()


@pytest.mark.more
def test_nights_of_two_corpora_share_a_lake(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample, new, lake = tmp_path / "sample", tmp_path / "new", tmp_path / "lake"
    write_sample(sample, threads=40, dev_threads=12, seed=1)
    new.mkdir()
    shutil.copy(sample / "dev.xml", new)
    write_dump(tmp_path / "monday", site=BEER, threads=16, seed=0, workers=1)
    write_later_dump(tmp_path / "monday" / BEER, tmp_path / "tuesday" / BEER)
    of_files = ["nightly", "--system", SYSTEM, "--input", str(new), "--lake", str(lake), "--evaluation.resamples", "99"]

    assert main(night(str(lake), tmp_path / "monday", "beer1")) == 0
    beer = seen(lake, BEER)
    assert main(of_files) == 2, "neither files to learn from nor a model"
    assert main([*of_files, "--run-id", "forum1", "--train", str(sample / "train.xml")]) == 0
    forum = seen(lake, FORUM)
    assert seen(lake, BEER) == beer
    assert {"beer1", "forum1"} == set(cqa.open_lake(str(lake)).run().rankings().to_pandas()["run_id"])

    assert main(night(str(lake), tmp_path / "tuesday", "beer2", "--checks.max-score-drift", "2")) == 0
    changed = seen(lake, BEER)
    assert changed["posts"] != beer["posts"]
    assert changed["rankings"] != beer["rankings"]
    assert seen(lake, FORUM) == forum

    assert main([*of_files, "--run-id", "forum2"]) == 0
    again = seen(lake, FORUM)
    assert again["rankings"] == [row.replace("forum1", "forum2") for row in forum["rankings"]]
    assert again["examples"] == forum["examples"]
    assert all("'split': 'test'" in row for row in again["examples"])
    assert seen(lake, BEER) == changed

    metrics = [row for row in rows_of(lake, "forum1", "metrics") if row["population"] is None]
    of_map = [row for row in metrics if row["measure"] == "MAP@10"]
    assert [(row["system"], row["split"], row["queries"]) for row in of_map] == [
        ("given_order", "test", 12),
        (SYSTEM, "test", 12),
    ]
    trained = [row | {"population": "when trained"} for row in metrics if row["system"] == SYSTEM]
    for run_id in ("forum1", "forum2"):
        remembered = [row for row in rows_of(lake, run_id, "metrics") if row["population"] is not None]
        assert remembered == trained
        comparisons = rows_of(lake, run_id, "comparisons")
        assert [row["population"] for row in comparisons if row["system"] == SYSTEM] == [
            *[None] * len(trained), *["when trained"] * len(trained),
        ]  # fmt: skip

    assert main(["runs", "gc", "--lake", str(lake), "--keep", "2"]) == 0
    assert main(["runs", "rollback", "--lake", str(lake), "--to", "beer1"]) == 0
    assert (seen(lake, BEER), seen(lake, FORUM)) == (beer, again)
    capsys.readouterr()
    assert main(["runs", "list", "--lake", str(lake), "--format", "json"]) == 0
    listed = [run for run in json.loads(capsys.readouterr().out) if run["published"]]
    assert [(run["run_id"], run["corpus"], run["sites"]) for run in listed] == [
        ("beer1", "stackexchange", [BEER]),
        ("forum2", "qatar_living", [FORUM]),
    ]

    assert main(["export", "published", "--lake", str(lake), "--output", str(tmp_path / "served")]) == 0
    exported = json.loads((tmp_path / "served" / "manifest.json").read_text())
    assert {file["site"] for file in exported["files"]} == {BEER, FORUM}
    texts = cqa.open_lake(str(lake)).run().table("texts").to_pandas()["text_id"]
    assert texts.is_unique
