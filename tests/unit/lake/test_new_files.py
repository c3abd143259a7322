"""What a commit says of a new file, and what is counted in the file itself."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq

from cqa_spark.lake.new_file import NewFile, count_nulls


def new_file(*folders: str) -> NewFile:
    return NewFile("s3a://b/lake/uncommitted/1/part-0.parquet", folders, 40, 1_500, 3, {"score": 1})


def test_the_entry_of_a_file_names_its_place_and_what_was_counted() -> None:
    entry = new_file("site=it%27s").action()
    assert json.loads(entry.pop("stats")) == {"numRecords": 3, "nullCount": {"score": 1}}
    assert entry == {
        "path": "site=it%2527s/part-0.parquet",
        "partitionValues": {"site": "it's"},
        "size": 40,
        "modificationTime": 1_500,
        "dataChange": True,
    }
    assert new_file("site=__HIVE_DEFAULT_PARTITION__").action()["partitionValues"] == {"site": None}


def test_nulls_are_counted_by_column_and_not_within_lists() -> None:
    rows = pa.table({"score": [1, None, None], "name": ["a", "b", None], "tags": [["x"], [], None]})
    content = io.BytesIO()
    pq.write_table(rows, content, row_group_size=2)
    assert count_nulls(pq.read_metadata(content)) == {"score": 2, "name": 1}
