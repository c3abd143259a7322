"""The files and counts of a version, out of logs that are written by hand."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cqa_spark.errors import ContractError
from cqa_spark.lake.table_state import NO_FILES, file_path, table_state
from cqa_spark.object_store.folder import Folder

SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": "site", "type": "string", "nullable": True, "metadata": {}},
        {"name": "score", "type": "integer", "nullable": True, "metadata": {"comment": "points"}},
        {
            "name": "tags",
            "type": {"type": "array", "elementType": "string", "containsNull": True},
            "nullable": True,
            "metadata": {},
        },
    ],
}
METADATA = {"id": "x", "schemaString": json.dumps(SCHEMA), "partitionColumns": ["site"], "configuration": {}}


@pytest.fixture
def store(tmp_path: Path) -> Folder:
    return Folder(str(tmp_path))


def commit(store: Folder, version: int, *actions: dict[str, object]) -> None:
    store.put(f"posts/_delta_log/{version:020d}.json", "\n".join(map(json.dumps, actions)).encode())


def add(path: str, site: str, rows: int, **nulls: int) -> dict[str, object]:
    stats = json.dumps({"numRecords": rows, "nullCount": nulls})
    return {"add": {"path": path, "partitionValues": {"site": site}, "size": 10 * rows, "stats": stats}}


def remove(path: str) -> dict[str, object]:
    return {"remove": {"path": path}}


def test_each_commit_adds_and_removes_files(store: Folder) -> None:
    commit(store, 0, {"protocol": {}}, {"metaData": METADATA}, add("one", "a", 3, score=1))
    commit(store, 1, {"commitInfo": {}}, add("two", "b", 1, score=1))
    commit(store, 2, remove("one"), add("three", "a", 2, score=0))
    assert list(table_state(store, "posts", 0).added) == ["one"]
    state = table_state(store, "posts", 2)
    assert (state.version, sorted(state.added)) == (2, ["three", "two"])
    assert (state.partition_by, state.schema.names) == (["site"], ["site", "score", "tags"])
    assert state.schema["score"].metadata == {"comment": "points"}


def test_sites_whose_files_differ_between_versions(store: Folder) -> None:
    commit(store, 0, {"metaData": METADATA}, add("one", "a", 3), add("two", "b", 1), add("three", "b", 1))
    commit(store, 1, remove("three"), add("four", "c", 2))
    before, after = (table_state(store, "posts", version) for version in (0, 1))
    assert before.files_by_site() == {"a": {"one"}, "b": {"two", "three"}}
    assert after.changed_sites(before) == before.changed_sites(after) == {"b", "c"}
    assert after.changed_sites(NO_FILES) == {"a", "b", "c"}


def test_rows_and_nulls_as_counted_when_they_were_written(store: Folder) -> None:
    commit(store, 0, {"metaData": METADATA}, add("one", "a", 3, score=1), add("two", "b", 1, score=1))
    commit(store, 1, add("of another program", "b", 4))
    counted, not_counted = (table_state(store, "posts", version) for version in (0, 1))
    assert (counted.rows, counted.rows_by_site(), counted.null_shares()) == (4, {"a": 3, "b": 1}, {"score": 0.5})
    assert (not_counted.rows, not_counted.null_shares()) == (8, None)


def test_a_checkpoint_stands_for_what_lies_before_it(store: Folder) -> None:
    commit(store, 1, add("overwritten by a late writer", "a", 9))
    rows = [
        {"metaData": {**METADATA, "configuration": []}},
        {"add": {**add("one", "a", 3)["add"], "partitionValues": [("site", "a")]}},  # type: ignore[dict-item]
    ]
    of_metadata = pa.struct(
        [("id", pa.string()), ("schemaString", pa.string()), ("partitionColumns", pa.list_(pa.string())),
         ("configuration", pa.map_(pa.string(), pa.string()))]
    )  # fmt: skip
    of_file = pa.struct(
        [("path", pa.string()), ("partitionValues", pa.map_(pa.string(), pa.string())), ("size", pa.int64()),
         ("stats", pa.string())]
    )  # fmt: skip
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, pa.schema([("metaData", of_metadata), ("add", of_file)])), content)
    store.put("posts/_delta_log/00000000000000000001.checkpoint.parquet", content.getvalue())
    commit(store, 2, add("two", "b", 1))
    assert table_state(store, "posts", 2).rows_by_site() == {"a": 3, "b": 1}


def test_a_log_with_a_gap_and_rows_deleted_in_place_are_refused(store: Folder) -> None:
    commit(store, 0, {"metaData": METADATA}, {"add": {"path": "one", "deletionVector": {"cardinality": 1}}})
    commit(store, 2, add("two", "b", 1))
    with pytest.raises(ContractError, match="marked rows of version 0 as deleted"):
        table_state(store, "posts", 0)
    with pytest.raises(ContractError, match=r"table posts: .* is missing from its log"):
        table_state(store, "posts", 2)


def test_a_path_is_encoded_once_in_the_log() -> None:
    assert file_path("site=it%2527s/part-0.parquet") == "site=it%27s/part-0.parquet"
