"""Adjacent rows packed into one, and unpacked, without Spark."""

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.spark.frames import pack, runs, unpacked, whole_groups

RECORD = np.dtype([("number", np.int32), ("share", np.float64), ("chosen", np.bool_)])
ROWS = pa.table(
    {
        "query": [7, 7, 7, 8],
        "system": ["a", "a", "b", "b"],
        "name": ["first", "second", "third", "fourth"],
        "number": pa.array([1, 2, 3, 4], pa.int32()),
        "share": [0.5, None, 0.25, 0.125],
        "chosen": [True, None, False, True],
    }
)


def test_adjacent_rows_with_the_same_key_become_one() -> None:
    found = pack(ROWS, ["query", "system"], RECORD)
    assert found.drop_columns("packed").to_pylist() == [
        {"query": 7, "system": "a", "name": "first"},
        {"query": 7, "system": "b", "name": "third"},
        {"query": 8, "system": "b", "name": "fourth"},
    ]
    records, rows = unpacked(found, RECORD)
    assert records.tolist() == [(1, 0.5, True), (2, 0.0, False), (3, 0.25, False), (4, 0.125, True)]
    assert rows.tolist() == [0, 0, 1, 2]


def test_records_of_a_part_of_the_packed_rows() -> None:
    found = pa.concat_tables([pack(ROWS, ["query"], RECORD)] * 2)
    records, rows = unpacked(found.slice(1, 2), RECORD)
    assert records["number"].tolist() == [4, 1, 2, 3]
    assert rows.tolist() == [0, 1, 1, 1]


def test_no_rows_have_no_records() -> None:
    records, rows = unpacked(pack(ROWS, ["query"], RECORD).slice(0, 0), RECORD)
    assert (len(records), len(rows)) == (0, 0)


# A stream of sorted rows is cut between keys.


@pytest.mark.parametrize("size", [1, 2, 3, 4, 10])
def test_rows_of_a_key_are_met_together(size: int) -> None:
    keys = np.array([1, 1, 2, 2, 2, 2, 2, 3, 4, 4])
    rows = pa.record_batch({"key": keys, "row": np.arange(len(keys))})
    tables = list(whole_groups(_stream(rows, size), "key", at_a_time=3))
    assert np.concatenate([table["row"].to_numpy() for table in tables]).tolist() == list(range(len(keys)))
    seen = [set(table["key"].to_pylist()) for table in tables]
    assert sum(map(len, seen)) == len(set().union(*seen)) == 4


def test_a_table_ends_with_the_key_that_fills_it() -> None:
    rows = pa.record_batch({"site": ["s"] * 10, "query": ["Q1"] * 3 + ["Q2"] * 2 + ["Q3"] * 4 + ["Q4"]})
    cut = [table["query"].to_pylist() for table in whole_groups(_stream(rows, 2), "site", "query", at_a_time=4)]
    assert cut == [["Q1"] * 3 + ["Q2"] * 2, ["Q3"] * 4, ["Q4"]]


def test_the_size_may_be_another_than_the_number_of_rows() -> None:
    rows = pa.record_batch({"key": [1, 1, 2, 2, 3, 3]})
    cut = [table["key"].to_pylist() for table in whole_groups([rows], "key", at_a_time=3, size=lambda _: 3)]
    assert cut == [[1, 1, 2, 2], [3, 3]]


def test_without_keys_a_table_ends_with_the_batch_that_fills_it() -> None:
    rows = pa.record_batch({"row": np.arange(8)})
    cut = [table["row"].to_pylist() for table in whole_groups(_stream(rows, 3), at_a_time=5)]
    assert cut == [[0, 1, 2, 3, 4, 5], [6, 7]]


def test_without_rows_there_are_no_tables() -> None:
    assert list(whole_groups([], "key")) == []
    assert list(whole_groups([pa.record_batch({"key": pa.array([], pa.int64())})], "key")) == []


def _stream(rows: pa.RecordBatch, size: int) -> list[pa.RecordBatch]:
    return [rows.slice(start, size) for start in range(0, rows.num_rows, size)]


def test_runs_are_adjacent_rows_with_the_same_value() -> None:
    rows = pa.concat_tables([ROWS.slice(0, 2), ROWS.slice(2)])
    assert [(system, part["name"].to_pylist()) for system, part in runs(rows, "system")] == [
        ("a", ["first", "second"]),
        ("b", ["third", "fourth"]),
    ]
    assert [*runs(ROWS.slice(0, 0), "system")] == []
