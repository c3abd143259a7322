"""A stream of sorted rows is cut between keys."""

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.spark.frames import whole_groups


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
