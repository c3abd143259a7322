"""Exports of a few rankings, of sites with names that paths encode."""

import csv
import json
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import datasets
import pytest
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.object_store.locations import open_store
from cqa_spark.steps import export_rankings as rankings_export
from cqa_spark.steps.export_manifest import MANIFEST

TITLE = '=Ale,\r\n"or" beer?'

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
        (run_id, system, site, "task", "test", "q1", f"c{rank}", 1.0 / rank, rank, True, None, None)
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
        write = rankings_export.write_ranking_files
        patch.setattr(
            rankings_export, "write_ranking_files", lambda *of: [file for file in write(*of) if file.site == "a"]
        )
        assert main(["export", "r2", *export[2:]]) == 5
    assert """the export of run r2 is incomplete: 0 of 3 rows of site "it's\"""" in capsys.readouterr().err
    assert exported(output) == first
    assert rows_by_site(first) == {"a": 1}
    assert sorted(path.name for path in output.iterdir()) == [MANIFEST, "mine", first["folder"]]

    assert main(["export", "published", *export[2:]]) == 0
    second = exported(output)
    assert (second["run_id"], rows_by_site(second)) == ("r2", {"a": 2, "it's": 3})
    assert [(output / file["path"]).exists() for file in first["files"]] == [True]
    assert main(export) == 0
    third = exported(output)
    assert (third["run_id"], rows_by_site(third)) == ("r1", {"a": 1})
    assert all((output / file["path"]).exists() for file in second["files"])
    assert sorted(path.name for path in output.iterdir()) == sorted(
        [MANIFEST, "mine", second["folder"], third["folder"]]
    )
    assert (first["publication"], second["publication"], third["publication"]) == (3, 6, 3)
    assert main(["export", "published", *export[2:]]) == 0
    published(lake, "r3", {("served", "a"): 1})
    assert main(["export", "published", *export[2:]]) == 0
    (output / MANIFEST).write_text('{"folder": "mine"}')
    assert main(export) == 3
    assert "manifest.json is not of an export of cqa" in capsys.readouterr().err
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


def test_texts_leave_the_lake_with_author_address_and_licence(lake: Lake, tmp_path: Path) -> None:
    """A site of Stack Exchange whose dump states a licence for one post, and a forum without licences."""
    site, forum, base = "beer.stackexchange.com", "forum", {"split": "test", "source_file": "x"}
    posts = [
        {"site": site, "post_id": "1", "post_type": "question", "post_type_id": 1, "user_id": "7", "subject": TITLE,
         "created_at": datetime(2011, 4, 7, 23, 59)},
        {"site": site, "post_id": "2", "post_type": "answer", "post_type_id": 2, "user_name": "gone",
         "created_at": datetime(2011, 4, 8), "edited_at": datetime(2018, 5, 2)},
        {"site": site, "post_id": "3", "post_type": "answer", "post_type_id": 2, "user_id": "7",
         "created_at": datetime(2014, 1, 1), "content_license": "CC BY-SA 9"},
        {"site": forum, "post_id": "1", "post_type": "question", "user_id": "7", "created_at": datetime(2014, 1, 1)},
    ]  # fmt: skip
    comment = {"site": site, "comment_id": "2", "post_id": "1", "user_id": "8", "created_at": datetime(2018, 5, 1)}
    tables = {
        POSTS: [{"thread_id": "1", **post, **base} for post in posts],
        COMMENTS: [{**comment, **base}],
        USERS: [{"site": site, "user_id": "7", "name": "Ada"}],
        TEXTS: [{field.name: [] for field in TEXTS.schema} | {"text_id": "t", "raw": "Hops.", "clean": "Hops."}],
        DOCUMENTS: [
            {"site": of, "document_id": document, "text_id": "t", "split": "test"}
            for of, document in [(site, "1"), (site, "2"), (site, "3"), (site, "comment 2"), (forum, "1")]
        ],
        RANKINGS: [
            {"run_id": "r1", "system": "served", "site": site, "task": "preferred_answer", "split": "test",
             "query_id": "1", "candidate_id": str(rank + 1), "score": 1.0, "rank": rank, "predicted": True}
            for rank in (1, 2)
        ],
    }  # fmt: skip
    begin = RunRecord("r1", "running", "nightly", config_hash="c0ffee", config="system: served\n", code_version="0")
    with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
        for table, rows in tables.items():
            run.write(table, lake.spark.createDataFrame(rows, table.schema).coalesce(1))
    with hold(lake, Holder.of_this_process("test")) as held:
        publish(held, "r1")

    output = tmp_path / "served"
    assert main(["export", "r1", "--lake", lake.root, "--output", str(output), "--format", "jsonl"]) == 0
    (file,) = exported(output)["files"]
    columns = (
        "candidate_id",
        "author",
        "address",
        "licence",
        "title",
        "title_author",
        "title_address",
        "title_licence",
    )
    question = (TITLE, "Ada", f"https://{site}/q/1", "CC BY-SA 2.5")
    assert [tuple(map(json.loads(line).get, columns)) for line in (output / file["path"]).read_text().splitlines()] == [
        ("2", "gone", f"https://{site}/a/2", "CC BY-SA 4.0", *question),
        ("3", "Ada", f"https://{site}/a/3", "CC BY-SA 9", *question),
    ]
    assert main(["export", "r1", "--lake", lake.root, "--output", str(output), "--format", "csv"]) == 0
    (file,) = exported(output)["files"]
    with (output / file["path"]).open(newline="", encoding="utf-8") as stream:
        rows = [(row["candidate_id"], row["rank"], row["title"], row["author"]) for row in csv.DictReader(stream)]
    assert rows == [("2", "1", TITLE, "gone"), ("3", "2", TITLE, "Ada")]
    assert main(["export", "dataset", str(tmp_path / "data"), "--lake", lake.root]) == 0
    loaded = datasets.load_dataset(str(tmp_path / "data"), "texts", cache_dir=str(tmp_path / "cache"))
    assert {split: rows.num_rows for split, rows in loaded.items()} == {"test": 5}
    assert sorted({row["author"] for row in loaded["test"] if row["author"]}) == ["Ada", "gone"]
    texts = lake.spark.read.parquet(str(tmp_path / "data" / "texts")).orderBy("site", "document_id").collect()
    assert [(row.document_id, row.author, row.address, row.licence) for row in texts] == [
        ("1", "Ada", f"https://{site}/q/1", "CC BY-SA 2.5"),
        ("2", "gone", f"https://{site}/a/2", "CC BY-SA 4.0"),
        ("3", "Ada", f"https://{site}/a/3", "CC BY-SA 9"),
        ("comment 2", None, f"https://{site}/posts/comments/2", "CC BY-SA 3.0"),
        ("1", None, None, None),
    ]
    assert (
        "CC BY-SA 2.5 1, CC BY-SA 3.0 1, CC BY-SA 4.0 1, CC BY-SA 9 1, licence unknown 1."
        in (tmp_path / "data" / "README.md").read_text()
    )
