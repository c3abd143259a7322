"""Adjacent rows packed into one, and unpacked, without Spark."""

import numpy as np
import pyarrow as pa

from cqa_spark.spark.frames import pack, unpacked

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
