"""Parses records that the fast path cannot read with an XML parser, in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from itertools import groupby
from operator import attrgetter

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.stackexchange.columns import column_types, typed
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.file_probe import BYTE_ORDER_MARK, Layout
from cqa_spark.corpora.stackexchange.records import Outcome, Record
from cqa_spark.corpora.stackexchange.recovery import recover
from cqa_spark.corpora.stackexchange.values import FIRST_YEAR, LAST_YEAR, is_id

BATCH = 1000
SHOWN_CHARACTERS = 40
WANTED = {
    "timestamp": f"time from {FIRST_YEAR} to {LAST_YEAR}",
    "int": "whole number of 32 bits",
    "bigint": "whole number of 64 bits",
    "boolean": "True or False",
}
_OUTCOMES = "file int, offset bigint, records int, raw string, attributes map<string,string>, problem string"
_ARROW = pa.schema(
    [
        ("file", pa.int32()),
        ("offset", pa.int64()),
        ("records", pa.int32()),
        ("raw", pa.string()),
        ("attributes", pa.map_(pa.string(), pa.string())),
        ("problem", pa.string()),
    ]
)


def parse_records(
    located: DataFrame, dump: DumpTable, layout: Layout, other_roots: Mapping[int, str] | None = None
) -> DataFrame:
    """Read records.

    Args:
        located: as ``locate.locate`` returns it.
        dump: the kind of rows.
        layout: row layout. With one row per line, a damaged row may span several lines.
        other_roots: root elements by file, where they are others than that of the kind.

    Returns:
        file, byte_offset, records (number of joined records), raw, is_row, problem (null for valid rows and for text
        that is not a row), unknown_attributes and a column for every attribute.
    """
    recover_records = partial(_recover, dump.root, dict(other_roots or {}), layout)
    # Damage may span blocks, so one task parses the few such lines of a file; with rows over lines, it would be all.
    in_order = located
    if layout is not Layout.ROW_OVER_LINES:
        in_order = located.repartition("file").sortWithinPartitions("file", "byte_offset")
    outcomes = in_order.mapInArrow(recover_records, _OUTCOMES)
    attributes = F.col("attributes")
    columns = typed(dump, {name: attributes[attribute] for attribute, name in dump.attributes.items()})
    unknown = F.map_filter(attributes, lambda name, _: ~name.isin(*dump.attributes))
    return outcomes.select(
        "file",
        F.col("offset").alias("byte_offset"),
        "records",
        "raw",
        attributes.isNotNull().alias("is_row"),
        F.coalesce("problem", _misfit(dump, columns)).alias("problem"),
        F.when(F.size(unknown) > 0, unknown).alias("unknown_attributes"),
        *[value.alias(name) for name, value in columns.items()],
    )


def _misfit(dump: DumpTable, columns: dict[str, Column]) -> Column:
    """The first problem of a row's values: a missing value or one that does not fit its column."""
    attributes = F.col("attributes")
    missing = [
        F.when(attributes.isNotNull() & attributes[attribute].isNull(), F.lit(f"{attribute} is missing"))
        for attribute in dump.required
    ]
    types = column_types(dump)
    wrong = [
        F.when(
            attributes[attribute].isNotNull() & columns[name].isNull(),
            F.concat(
                F.lit(f"{attribute} is no {_wanted(name, types[name])}: "),
                F.substring(attributes[attribute], 1, SHOWN_CHARACTERS),
            ),
        )
        for attribute, name in dump.attributes.items()
    ]
    return F.coalesce(*missing, *wrong)


def _wanted(name: str, data_type: T.DataType) -> str:
    """The name of a column's type in messages."""
    return "whole number" if is_id(name, data_type) else WANTED.get(data_type.simpleString(), "text")


def _recover(
    root: str, other_roots: Mapping[int, str], layout: Layout, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    records = _records(batches)
    if layout is Layout.ROW_OVER_LINES:
        records = map(_opened, records)
    for file, of_file in groupby(records, key=attrgetter("file")):
        yield from _batches(recover(of_file, other_roots.get(file, root)))


def _opened(record: Record) -> Record:
    """A record with the separator before it in place of the one after it; the first of a file has none before it."""
    opening = Layout.ROW_OVER_LINES.value.encode()
    if record.offset <= len(BYTE_ORDER_MARK):
        return Record(record.file, record.offset, len(record.raw), record.raw)
    return Record(record.file, record.offset - len(opening), record.length, opening + record.raw)


def _records(batches: Iterable[pa.RecordBatch]) -> Iterator[Record]:
    for batch in batches:
        for row in batch.to_pylist():
            yield Record(row["file"], row["byte_offset"], row["length"], row["raw"])


def _batches(outcomes: Iterator[Outcome]) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, object]] = []
    for outcome in outcomes:
        row = asdict(outcome)
        row["attributes"] = None if outcome.attributes is None else list(outcome.attributes.items())
        rows.append(row)
        if len(rows) == BATCH:
            yield pa.RecordBatch.from_pylist(rows, schema=_ARROW)
            rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=_ARROW)
