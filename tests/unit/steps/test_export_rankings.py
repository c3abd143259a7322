"""The files of exported rankings, as tasks write them: readers of CSV get back what was written."""

import csv
import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.settings.nightly import ExportFormat
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.steps.export_rankings import write_partition

SCHEMA = pa.schema([("query_id", pa.string()), ("rank", pa.int32()), ("site", pa.string()), ("title", pa.string())])


def written(folder: str, file_format: ExportFormat, *batches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The descriptions of the files of a task."""
    rows = [pa.RecordBatch.from_pylist(batch, SCHEMA) for batch in batches]
    described = list(write_partition(folder, ObjectStorageSettings(), file_format, iter(rows)))
    return [file for batch in described for file in batch.to_pylist()]


def row(site: str, query: str, rank: int = 1, title: str | None = "Ale?") -> dict[str, Any]:
    return {"site": site, "query_id": query, "rank": rank, "title": title}


def of_csv(title: str) -> list[tuple[Any, ...]]:
    """A title as three readers of CSV get it back."""
    with TemporaryDirectory() as folder:
        [file] = written(folder, "csv", [row("a", "1", title=title), row("a", "2", title="next")])
        path = f"{folder}/{file['path']}"
        with open(path, newline="", encoding="utf-8") as stream:
            by_python = [line["title"] for line in csv.DictReader(stream)]
        by_pandas = list(pd.read_csv(path, dtype=str, keep_default_na=False)["title"])
        query = "SELECT title FROM read_csv(?, header = true, all_varchar = true, allow_quoted_nulls = false)"
        by_duckdb = [title for (title,) in duckdb.execute(query, [path]).fetchall()]
    return [tuple(by_python), tuple(by_pandas), tuple(by_duckdb)]


TITLES = [
    'He said "hi", and', "ends with \\", '"', '""', '\\"', "a,b", "two\nlines", "cr\ronly", "crlf\r\nx", "\r", "\n",
    "=1+2", "+1", "-1", "@a", " lead", "trail ", "", "\t", "#c", "\ufeff", "é漢😀", "x\u2028y", "\x85", "\x01", "NA",
]  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_read_back_from_csv(title: str) -> None:
    assert of_csv(title) == [(title, "next")] * 3


# Documents of XML have no NUL, at which pandas ends a field, and UTF-8 has no surrogates.
@given(st.text(st.characters(exclude_characters="\0", codec="utf-8")))
def test_every_title_is_read_back_from_csv(title: str) -> None:
    assert of_csv(title) == [(title, "next")] * 3


def test_csv_follows_rfc_4180_with_missing_values_outside_of_quotes(tmp_path: Path) -> None:
    [file] = written(str(tmp_path), "csv", [row("a", "1", title='a "b"\r\nc'), row("a", "2", 2, title=None)])
    content = (tmp_path / file["path"]).read_bytes()
    assert content == b'"query_id","rank","title"\n"1",1,"a ""b""\r\nc"\n"2",2,\n'
    assert (file["rows"], file["bytes"], file["sha256"]) == (2, len(content), hashlib.sha256(content).hexdigest())


def test_a_file_has_the_rows_of_one_site_in_their_order_over_batches(tmp_path: Path) -> None:
    batches = [row("a", "1"), row("b", "2")], [row("b", "1", 7), row("c", "9")], [row("c", "3")]
    files = written(str(tmp_path), "jsonl", *batches)
    lines = {file["site"]: (tmp_path / file["path"]).read_text().splitlines() for file in files}
    assert {site: [json.loads(line)["query_id"] for line in of_site] for site, of_site in lines.items()} == {
        "a": ["1"],
        "b": ["2", "1"],
        "c": ["9", "3"],
    }
    assert [(file["site"], file["rows"]) for file in files] == [("a", 1), ("b", 2), ("c", 2)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site=a", "site=b", "site=c"]


def test_json_lines_leave_missing_values_out(tmp_path: Path) -> None:
    [file] = written(str(tmp_path), "jsonl", [row("a", "1", title=None), row("a", "2", title="日\n")])
    assert (tmp_path / file["path"]).read_text() == (
        '{"query_id": "1", "rank": 1}\n{"query_id": "2", "rank": 1, "title": "日\\n"}\n'
    )


@pytest.mark.parametrize(
    ("site", "folder"),
    [
        ("it's 100% a:b", "it%27s 100%25 a%3Ab"),
        ('the "best"/a=b', "the %22best%22%2Fa%3Db"),
        ("[x]?*", "%5Bx%5D%3F%2A"),
        ("Zürich 日本", "Zürich 日本"),
    ],
)
def test_readers_of_partitions_get_the_site_from_the_folder(tmp_path: Path, site: str, folder: str) -> None:
    [file] = written(str(tmp_path), "parquet", [row(site, "1")])
    assert file["path"].startswith(f"site={folder}/part-")
    assert pq.read_metadata(tmp_path / file["path"]).num_rows == 1


def test_a_task_without_rows_writes_no_file(tmp_path: Path) -> None:
    assert written(str(tmp_path), "csv", []) == []
    assert list(tmp_path.iterdir()) == []
