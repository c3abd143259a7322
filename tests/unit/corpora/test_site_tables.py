"""Fingerprints of files, and the sites that they show to have changed."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from cqa_spark.corpora import site_tables as module
from cqa_spark.corpora.site_tables import changed_sites, dump_bytes, fingerprints, input_record
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import InputRecord
from cqa_spark.object_store.locations import FoundFile
from cqa_spark.settings.sections import ObjectStorageSettings

STORAGE = ObjectStorageSettings()
SECOND = 1_700_000_000_000_000_000
BEER, TEA, WINE = "beer.org", "tea.org", "wine.org"


def identified(path: Path | str, *published: Entry) -> Entry:
    [entry] = fingerprints([(BEER, str(path), "posts")], published, STORAGE, "v1")
    return entry


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    path = tmp_path / "Posts.xml"
    path.write_bytes(b"<posts/>")
    os.utime(path, ns=(SECOND, SECOND))
    return path


def test_a_local_file_is_hashed(posts: Path) -> None:
    content = sha256(b"<posts/>").hexdigest()
    entry = identified(posts)
    assert entry == {
        "site": BEER, "source_file": str(posts), "table_name": "posts", "bytes": 8, "modified_ns": SECOND,
        "content": content, "reader": "v1",
    }  # fmt: skip
    assert input_record(entry) == InputRecord(str(posts), "unannotated", 8, content)


@pytest.mark.parametrize(
    ("change", "is_hashed"),
    [({}, False), ({"source_file": "x"}, True), ({"bytes": 7}, True), ({"modified_ns": 1}, True)],
)
def test_a_file_of_the_same_path_size_and_time_is_not_hashed_again(
    posts: Path, change: dict[str, Any], is_hashed: bool
) -> None:
    before = {**identified(posts), "content": "the published hash", **change}
    assert (identified(posts, before)["content"] == "the published hash") is not is_hashed


def test_a_file_in_a_bucket_has_its_entity_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = Mock(return_value=[FoundFile("s3a://b/beer.org/Posts.xml", 8, '"abc"')])
    monkeypatch.setattr(module, "files_below", listed)
    entry = identified("s3a://b/beer.org/Posts.xml")
    listed.assert_called_once_with("s3a://b/beer.org", STORAGE)
    assert (entry["bytes"], entry["modified_ns"], entry["content"]) == (8, None, '"abc"')
    assert input_record(entry) == InputRecord("s3a://b/beer.org/Posts.xml", "unannotated", 8, None)


def test_a_file_that_is_gone_is_an_error_of_the_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        identified(tmp_path / "Posts.xml")


def read(site: str, content: str, *, table: str = "posts", code: str = "v1", path: str = "monday") -> Entry:
    return {"site": site, "source_file": path, "table_name": table, "bytes": 8, "modified_ns": 1, "content": content,
            "reader": code}  # fmt: skip


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ([read(BEER, "a"), read(TEA, "b")], []),
        ([read(BEER, "a", path="tuesday"), read(TEA, "b")], []),
        ([read(BEER, "c"), read(TEA, "b")], [BEER]),
        ([read(BEER, "a", code="v2"), read(TEA, "b")], [BEER]),
        ([read(BEER, "a"), read(BEER, "a", table="users"), read(TEA, "b")], [BEER]),
        ([read(BEER, "a")], [TEA]),
        ([read(BEER, "a"), read(TEA, "b"), read(WINE, "a")], [WINE]),
    ],
    ids=["nothing", "another folder", "other bytes", "other code", "a new table", "no file any more", "a new site"],
)
def test_sites_with_a_file_that_was_not_read_have_changed(now: list[Entry], expected: list[str]) -> None:
    published = [read(BEER, "a"), read(TEA, "b"), read(TEA, "z", table="votes")]
    assert changed_sites([BEER, TEA, WINE], now, published, {"posts", "users"}) == expected
    assert changed_sites([BEER], now, [], {"posts"}) == [BEER]


def test_compressed_files_count_with_the_usual_size_of_their_text() -> None:
    files = [read(BEER, "a", path=path) for path in ("Posts.xml", "Users.xml.GZ", "Votes.xml.bz2", "Tags.xml.zst")]
    assert dump_bytes(files) == 8 + 3 * 6 * 8
