"""The manifest of an attempt: what is read back, and what is said of one that is gone, damaged or not complete."""

import pytest

from cqa_spark.errors import ContractError
from cqa_spark.lake.manifest import RunManifest, missing_files, read_manifest, write_manifest
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.table import NO_FILES, DataFile, TableFiles
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import AlreadyThere

RUN = RunRecord("r1", "succeeded", "run", "c0ffee", "task: x\n", "0", attempt=3)
KEY = "runs/r1.3/manifest.json"
POSTS = TableFiles(
    ("site", "score"),
    (
        DataFile("tables/posts/r1.3/w/part-1.parquet", 40, 3, {"site": "it's=here/ü%"}, {"score": 1}),
        DataFile("tables/posts/r1.3/w/part-2.parquet", 50, 1, {"site": None}, {"score": 0}),
    ),
    {"it's=here/ü%": "f1"},
)
MANIFEST = RunManifest(
    {"posts": POSTS, "comments": NO_FILES},
    {"metrics": "runs/r1.3/metrics.parquet"},
    {"runs/r1.3/metrics.parquet": 7, "runs/r0.1/models/best_a/model.json": 8},
)
STORED = {
    "tables/posts/r1.3/w/part-1.parquet": 40,
    "tables/posts/r1.3/w/part-2.parquet": 50,
    "runs/r1.3/metrics.parquet": 7,
    "runs/r0.1/models/best_a/model.json": 8,
}


def test_a_manifest_is_read_as_it_was_written(store: Folder) -> None:
    write_manifest(store, RUN, MANIFEST)
    assert list(store.keys()) == [KEY]
    assert read_manifest(store, RUN) == MANIFEST


def test_an_attempt_has_one_manifest(store: Folder) -> None:
    write_manifest(store, RUN, MANIFEST)
    with pytest.raises(AlreadyThere):
        write_manifest(store, RUN, RunManifest())
    assert read_manifest(store, RUN) == MANIFEST


def test_a_manifest_that_is_missing_is_named(store: Folder) -> None:
    with pytest.raises(ContractError) as gone:
        read_manifest(store, RUN)
    assert gone.value.problem == f"{store.root}/{KEY} is missing: run r1 succeeded, so it had one"


@pytest.mark.parametrize(
    "content", [b"", b"{}{", b"[]", b"\xff\xfe", b'{"tables": {"posts": {"files": [{"path": 1}]}}}']
)
def test_a_manifest_that_is_damaged_is_named(store: Folder, content: bytes) -> None:
    store.put(KEY, content)
    with pytest.raises(ContractError) as damaged:
        read_manifest(store, RUN)
    assert damaged.value.problem.startswith(f"{store.root}/{KEY} is damaged: ")


def test_all_files_of_tables_and_of_other_kinds_are_needed_with_their_sizes() -> None:
    assert MANIFEST.all_sizes() == STORED
    assert list(missing_files(MANIFEST, STORED | {"of another run": 1})) == []


@pytest.mark.parametrize("path", STORED)
def test_a_file_that_is_gone_or_has_another_size_is_missing(path: str) -> None:
    assert list(missing_files(MANIFEST, STORED | {path: 6})) == [path]
    assert list(missing_files(MANIFEST, {key: size for key, size in STORED.items() if key != path})) == [path]
