"""Rows arrive in any order and are read in that of their keys."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.rankers.training import sorted_rows
from cqa_spark.rankers.training.sorted_rows import sort_rows

SCHEMA = pa.schema([("bucket", pa.int32()), ("candidate_id", pa.string())])
PARTS = [([1, 0, 0], ["é", "9", "10"]), ([0], ["z"]), ([], []), ([1, 0], ["A", "a"])]
BY_BYTES = ["10", "9", "A", "a", "z", "é"]
FLOAT = np.dtype(np.float32)


def parts():
    """Each row's numbers are its position in the order of arrival, and ten times that."""
    first = 0
    for buckets, ids in PARTS:
        places = np.arange(first, first + len(ids), dtype=FLOAT)
        labels = pa.RecordBatch.from_pydict({"bucket": buckets, "candidate_id": ids}, schema=SCHEMA)
        yield labels, np.column_stack([places, 10 * places])
        first += len(ids)


@pytest.mark.parametrize("run_bytes", [1, 32, sorted_rows.RUN_BYTES])
@pytest.mark.parametrize("most_in_memory", [16, sorted_rows.MOST_IN_MEMORY])
def test_rows_are_in_the_order_of_their_keys(monkeypatch, run_bytes: int, most_in_memory: int) -> None:
    monkeypatch.setattr(sorted_rows, "RUN_BYTES", run_bytes)
    monkeypatch.setattr(sorted_rows, "MOST_IN_MEMORY", most_in_memory)
    labels, numbers = sort_rows(parts(), SCHEMA, ["candidate_id"], 2, FLOAT)
    assert labels["candidate_id"].to_pylist() == BY_BYTES
    assert numbers.read(0, 6).tolist() == [[2, 20], [1, 10], [4, 40], [5, 50], [3, 30], [0, 0]]
    assert numbers.read(1, 3).tolist() == [[1, 10], [4, 40]]
    assert numbers.read(3, 3).shape == (0, 2)
    numbers.close()


def test_keys_are_compared_in_their_order(monkeypatch) -> None:
    monkeypatch.setattr(sorted_rows, "RUN_BYTES", 1)
    labels, numbers = sort_rows(parts(), SCHEMA, ["bucket", "candidate_id"], 2, FLOAT)
    assert labels["candidate_id"].to_pylist() == ["10", "9", "a", "z", "A", "é"]
    assert numbers.read(0, 6)[:, 0].tolist() == [2, 1, 5, 3, 4, 0]
    numbers.close()


def test_no_rows() -> None:
    labels, numbers = sort_rows([], SCHEMA, ["candidate_id"], 2, FLOAT)
    assert (labels.schema, len(labels), numbers.read(0, 0).shape) == (SCHEMA, 0, (0, 2))
    numbers.close()
