"""Journal tables in a folder: what is written, and what is read back."""

import io
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import JournalTable, read_entries, write_entries
from cqa_spark.lake.table import column, required
from cqa_spark.object_store.folder import Folder

MEASURED = JournalTable(
    "measured",
    "Made for the test.",
    (
        required("measure", "string", "its name"),
        column("value", "double", "a fraction"),
        column("queries", "int", "number of queries"),
        column("counts", T.MapType(T.StringType(), T.LongType()), "by name"),
        column("at", "timestamp", "when, UTC"),
    ),
    key=("measure",),
)
NOON = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)
KEY = "runs/r1.1/measured.parquet"
MAP = {"measure": "MAP@10", "value": 1 / 3, "queries": 244, "counts": {"b": 2, "a": 1}, "at": NOON}
MRR = {"measure": "MRR@10", "value": None, "queries": None, "counts": None, "at": None}


def test_entries_are_read_as_they_were_written_and_in_that_order(store: Folder) -> None:
    write_entries(store, MEASURED, [MRR, MAP], KEY, run_id="r1")
    assert read_entries(store, MEASURED, KEY) == [MRR, MAP]
    write_entries(store, MEASURED, [MAP], KEY, run_id="r1")
    assert read_entries(store, MEASURED, KEY) == [MAP]


def test_no_entries_are_a_file_too(store: Folder) -> None:
    write_entries(store, MEASURED, [], KEY, run_id="r1")
    assert read_entries(store, MEASURED, KEY) == []
    assert list(store.keys()) == [KEY]


def test_columns_that_may_be_null_may_be_absent(store: Folder) -> None:
    write_entries(store, MEASURED, [{"measure": "MRR@10"}], KEY, run_id="r1")
    assert read_entries(store, MEASURED, KEY) == [MRR]


def test_a_column_that_was_declared_since_is_none_and_one_that_is_no_longer_declared_is_left_out(
    store: Folder,
) -> None:
    write_entries(store, MEASURED, [MAP], KEY, run_id="r1")
    later = replace(MEASURED, columns=(MEASURED.columns[0], column("judge", "string", "who judged")))
    assert read_entries(store, later, KEY) == [{"measure": "MAP@10", "judge": None}]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"value": 1.0}, "missing measure"),
        ({"measure": None}, "missing measure"),
        ({"measure": "P@1", "valeu": 1.0}, "undeclared valeu"),
        ({"valeu": 1.0, "querys": 2}, "missing measure; undeclared valeu; undeclared querys"),
        ({"measure": 1}, "Expected bytes, got a 'int' object"),
        ({"measure": "P@1", "queries": 2**31}, "Value 2147483648 too large to fit in C integer type"),
        ({"measure": "P@1", "queries": 2**63}, "Python int too large to convert to C long"),
    ],
)
def test_entries_that_do_not_conform_are_refused_and_nothing_is_written(
    store: Folder, entry: Mapping[str, Any], problem: str
) -> None:
    with pytest.raises(ContractError) as refused:
        write_entries(store, MEASURED, [MAP, entry], KEY, run_id="r1")
    assert refused.value.problem == f"journal table measured: {problem}"
    assert list(store.keys()) == []


def test_a_file_that_is_missing_is_named(store: Folder) -> None:
    with pytest.raises(ContractError) as missing:
        read_entries(store, MEASURED, KEY)
    assert missing.value.problem == f"{store.root}/{KEY} is missing: a manifest names it"


@pytest.mark.parametrize("bytes_left", [0, 4, 100, -1])
def test_a_file_that_is_damaged_is_named(store: Folder, bytes_left: int) -> None:
    write_entries(store, MEASURED, [MAP], KEY, run_id="r1")
    complete = store.read(KEY)
    assert complete is not None
    store.put(KEY, complete.data[:bytes_left])
    with pytest.raises(ContractError) as damaged:
        read_entries(store, MEASURED, KEY)
    assert damaged.value.problem.startswith(f"{store.root}/{KEY} is damaged: ")


def test_a_changed_bit_is_found_by_the_checksum_of_its_page(store: Folder) -> None:
    write_entries(store, MEASURED, [MAP], KEY, run_id="r1")
    complete = store.read(KEY)
    assert complete is not None
    start = pq.ParquetFile(io.BytesIO(complete.data)).metadata.row_group(0).column(0).dictionary_page_offset
    changed = bytearray(complete.data)
    changed[start + 40] ^= 1
    store.put(KEY, bytes(changed))
    with pytest.raises(ContractError, match=f"{store.root}/{KEY} is damaged"):
        read_entries(store, MEASURED, KEY)


def test_any_engine_reads_a_file(store: Folder) -> None:
    write_entries(store, MEASURED, [MAP], KEY, run_id="r1")
    stored = store.read(KEY)
    assert stored is not None
    schema = pq.read_schema(io.BytesIO(stored.data))
    assert schema.names == ["run_id", "measure", "value", "queries", "counts", "at"]
    assert [field.nullable for field in schema] == [False, False, True, True, True, True]
    assert [str(schema.field(name).type) for name in ("measure", "value", "queries", "at")] == [
        "string",
        "double",
        "int32",
        "timestamp[us, tz=UTC]",
    ]
    assert (str(schema.field("counts").type.key_type), str(schema.field("counts").type.item_type)) == (
        "string",
        "int64",
    )
