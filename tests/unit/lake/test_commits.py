"""What a table's log says, on logs that are written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqa_spark.lake.commits import Commit, CommitLog
from cqa_spark.object_store.folder import Folder

METADATA = '{"metaData":{"id":"x"}}'


@pytest.fixture
def store(tmp_path: Path) -> Folder:
    return Folder(str(tmp_path))


def commit(store: Folder, version: int, *actions: str) -> None:
    store.put(f"posts/_delta_log/{version:020d}.json", "\n".join(actions).encode())


def told(author: str | None, **more: int) -> str:
    return json.dumps({"commitInfo": {"operation": "WRITE", **more} | ({"userMetadata": author} if author else {})})


def test_a_folder_without_a_log_is_no_table(store: Folder) -> None:
    store.put("posts/part-0.parquet", b"")
    assert CommitLog(store, "posts").newest_version() is None


def test_the_newest_commit_counts_and_nothing_else_in_the_folder(store: Folder) -> None:
    for version in range(3):
        commit(store, version, METADATA)
    for other in ("00000000000000000009.crc", "00000000000000000003.00000000000000000008.compacted.json", "_commits/1"):
        store.put(f"posts/_delta_log/{other}", b"")
    assert CommitLog(store, "posts").newest_version() == 2


def test_what_lies_before_the_last_checkpoint_is_not_asked_for(store: Folder) -> None:
    for version in (9, 10, 11):
        commit(store, version, METADATA)
    store.put("posts/_delta_log/_last_checkpoint", b'{"version":10,"size":3}')
    assert CommitLog(store, "posts").newest_version() == 11
    store.put("posts/_delta_log/_last_checkpoint", b'{"version":11,"size":3}')
    assert CommitLog(store, "posts").newest_version() == 11


def test_commits_say_who_wrote_and_when(store: Folder) -> None:
    commit(store, 4, told("r1", timestamp=1_500))
    commit(store, 5, METADATA, told(None))
    commit(store, 7, METADATA)
    found = [CommitLog(store, "posts").commit(version) for version in (4, 5, 6, 7)]
    assert found == [Commit(4, "r1", 1.5), Commit(5, None, None), None, Commit(7, None, None)]
