"""Turns the rows of a scan, and those that an XML parser has read, into typed columns, and these into those of a table.

Rows with a value that does not fit its column are set apart or refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.characters import Bytes
from cqa_spark.corpora.stackexchange.dump_tables import ROW_ID, DumpTable
from cqa_spark.corpora.stackexchange.records import Outcome
from cqa_spark.corpora.stackexchange.scanner import ABSENT, UNKNOWN_FIELDS, Positions, Scan
from cqa_spark.corpora.stackexchange.text_columns import Flags, tag_column, text_column, validity
from cqa_spark.corpora.stackexchange.value_columns import Numbers, booleans, times, whole_numbers
from cqa_spark.corpora.stackexchange.values import (
    BITS,
    INVENTED,
    OTHER_POST_TYPE,
    POST_TYPES,
    Unfit,
    Value,
    ValueKind,
    value,
)
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.writing import nullable

UNKNOWN = "unknown_attributes"
UNKNOWN_TYPE = pa.map_(pa.string(), pa.string())
ARROW_TYPES = {
    ValueKind.TEXT: pa.string(),
    ValueKind.TAGS: pa.list_(pa.string()),
    ValueKind.ID: pa.string(),
    ValueKind.INTEGER: pa.int32(),
    ValueKind.LONG: pa.int64(),
    ValueKind.BOOLEAN: pa.bool_(),
    ValueKind.TIME: pa.timestamp("us", "UTC"),
}
_LIMITS = {bits: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in BITS.values()}


class AttributeColumns(NamedTuple):
    """Rows of a file.

    Attributes:
        columns: the columns that attributes fill, and unknown_attributes.
        ids: the ids of the rows.
        spans: byte offsets of the start and the end of each row; int64 (rows, 2).
    """

    columns: dict[str, pa.Array]
    ids: Numbers
    spans: Numbers


class RowColumns:
    """The columns of the rows of a scan.

    Args:
        dump: the kind of rows.
        text: the text that was scanned.
        scan: its rows.

    Attributes:
        fits: whether all values of a row fit, and the required ones are there.
        ids: the id of each row that fits.
    """

    def __init__(self, dump: DumpTable, text: bytes, scan: Scan) -> None:
        self._dump = dump
        self._text: Bytes = np.frombuffer(text, np.uint8)
        self._scan = scan
        self._numbers: dict[str, Numbers] = {}
        self.fits: Flags = np.ones(len(scan.rows), np.bool_)
        for index, (attribute, column) in enumerate(dump.attributes.items()):
            starts, stops = self._positions(index)
            kind, numbers = dump.kinds[column], np.empty(len(starts), np.int64)
            if kind in BITS:
                whole_numbers(self._text, starts, stops, *_LIMITS[BITS[kind]], numbers, self.fits)
            elif kind is ValueKind.TIME:
                times(self._text, starts, stops, numbers, self.fits)
            elif kind is ValueKind.BOOLEAN:
                booleans(self._text, starts, stops, numbers, self.fits)
            self._numbers[column] = numbers
            if attribute in dump.required:
                self.fits &= (starts != ABSENT) & ((stops != starts) | (kind is ValueKind.TEXT))
        self.ids = self._numbers[dump.attributes[ROW_ID]]

    def columns(self, rows: Flags) -> dict[str, pa.Array]:
        """The columns of some rows, all of which fit: those that attributes fill, and the unknown attributes."""
        columns = {
            column: self._column(index, column, rows) for index, column in enumerate(self._dump.attributes.values())
        }
        return {**columns, UNKNOWN: self._unknown(rows)}

    def _positions(self, index: int) -> tuple[Positions, Positions]:
        return np.ascontiguousarray(self._scan.starts[:, index]), np.ascontiguousarray(self._scan.stops[:, index])

    def _column(self, index: int, column: str, rows: Flags) -> pa.Array:
        kind = self._dump.kinds[column]
        starts, stops = (positions[rows] for positions in self._positions(index))
        if kind in (ValueKind.TEXT, ValueKind.TAGS):
            texts = text_column(self._text, starts, stops, (self._scan.escaped[rows] >> index & 1).astype(np.bool_))
            return texts if kind is ValueKind.TEXT else tag_column(texts)
        has_value = (starts != ABSENT) & (stops != starts)
        if kind is ValueKind.ID:
            return text_column(
                self._text, np.where(has_value, starts, np.int32(ABSENT)), stops, np.zeros_like(has_value)
            )
        numbers, type_ = self._numbers[column][rows], ARROW_TYPES[kind]
        if kind is ValueKind.BOOLEAN:
            return pa.array(numbers.astype(np.bool_), mask=~has_value)
        data = numbers.astype(np.int32) if kind is ValueKind.INTEGER else numbers
        return pa.Array.from_buffers(type_, len(data), [validity(has_value), pa.py_buffer(data)])

    def _unknown(self, rows: Flags) -> pa.Array:
        """Maps of the attributes without a declared name; null without one."""
        count = int(rows.sum())
        if not len(self._scan.unknown):
            return pa.nulls(count, UNKNOWN_TYPE)
        unknown = self._scan.unknown[rows[self._scan.unknown[:, 0]]]
        _, name_start, name_stop, start, stop, escaped = (
            np.ascontiguousarray(unknown[:, index]) for index in range(len(UNKNOWN_FIELDS))
        )
        names = text_column(self._text, name_start, name_stop, np.zeros(len(unknown), np.bool_))
        texts = text_column(self._text, start, stop, escaped.astype(np.bool_))
        counts = np.bincount(unknown[:, 0], minlength=len(rows))[rows]
        # Null as the start of an entry makes it null; the last is the end of all.
        starts = pa.array(np.concatenate(([0], np.cumsum(counts))), pa.int32(), mask=np.append(counts == 0, False))
        return pa.MapArray.from_arrays(starts, names, texts)


SHOWN_CHARACTERS = 40


def parsed_rows(dump: DumpTable, outcomes: Iterable[Outcome]) -> tuple[AttributeColumns, list[Outcome]]:
    """The rows among outcomes, and the records that are refused.

    Args:
        dump: the kind of rows.
        outcomes: the outcomes of the parser.
    """
    values, unknown, spans, refused = [], [], [], []
    for outcome in outcomes:
        if outcome.attributes is not None:
            try:
                values.append(_values(dump, outcome.attributes))
            except Unfit as error:
                refused.append(replace(outcome, problem=str(error)))
                continue
            unknown.append({name: text for name, text in outcome.attributes.items() if name not in dump.attributes})
            spans.append((outcome.offset, outcome.offset + len(outcome.raw)))
        elif outcome.problem is not None:
            refused.append(outcome)
    ids = np.array([int(str(row[dump.attributes[ROW_ID]])) for row in values], np.int64)
    return AttributeColumns(columns_of(dump, values, unknown), ids, np.array(spans, np.int64).reshape(-1, 2)), refused


def columns_of(
    dump: DumpTable, rows: Sequence[Mapping[str, object]], unknown: Sequence[Mapping[str, str]]
) -> dict[str, pa.Array]:
    """The columns of rows that a parser has read.

    Args:
        dump: the kind of rows.
        rows: their values, by column.
        unknown: their attributes without a declared name.
    """
    columns = {
        column: pa.array([row.get(column) for row in rows], ARROW_TYPES[dump.kinds[column]])
        for column in dump.attributes.values()
    }
    maps = [list(attributes.items()) or None for attributes in unknown]
    return {**columns, UNKNOWN: pa.array(maps, UNKNOWN_TYPE)}


def _values(dump: DumpTable, attributes: Mapping[str, str]) -> dict[str, Value]:
    """The values of a row that a parser has read, by column.

    Raises:
        Unfit: a value is missing, or does not fit its column; the message says which.
    """
    values: dict[str, Value] = {}
    problem = ""
    for attribute, column in dump.attributes.items():
        kind, text = dump.kinds[column], attributes.get(attribute)
        try:
            values[column] = None if text is None else value(text, kind)
        except Unfit:
            problem = problem or f"{attribute} is no {kind.value}: {str(text)[:SHOWN_CHARACTERS]}"
    for attribute in dump.required:
        if values.get(dump.attributes[attribute], "") is None:
            raise Unfit(f"{attribute} is missing")
    if problem:
        raise Unfit(problem)
    return values


PARENT = "parent_id"  # the question of an answer; called thread in the lake's tables
ANSWER = 2
COMMUNITY = "-1"  # the user of automatic actions

_TYPE_NUMBERS = pa.array(POST_TYPES, pa.int32())
_TYPE_NAMES = pa.array([*POST_TYPES.values(), OTHER_POST_TYPE])


def table_rows(dump: DumpTable, columns: Mapping[str, pa.Array], site: str, source_file: str) -> pa.RecordBatch:
    """The rows with the declared columns of their table; those about people that are withheld are null.

    Args:
        dump: the kind of rows.
        columns: unknown_attributes and the columns that attributes fill.
        site: the site of the rows.
        source_file: the file of the rows.
    """
    schema = to_arrow_schema(nullable(dump.table.schema))
    rows = len(columns[UNKNOWN])
    complete: dict[str, Any] = {name: column for name, column in columns.items() if name not in dump.withheld}
    same = {"site": site, "source_file": source_file, "split": UNANNOTATED}
    complete |= {name: pa.repeat(pa.scalar(text), rows) for name, text in same.items()}
    if UNKNOWN in dump.withheld:
        # The names tell that the format of the dumps has changed, and nothing about a person.
        complete[UNKNOWN] = _without_values(columns[UNKNOWN])
    if dump.file == "Posts":
        # Only answers have a parent; an answer without one is its own thread.
        parent = pc.if_else(pc.equal(columns["post_type_id"], ANSWER), columns[PARENT], pa.scalar(None, pa.string()))
        complete["thread_id"] = pc.coalesce(parent, columns["post_id"])
        complete["post_type"] = _post_types(columns, dump.invented_from)
    arrays = [complete[name] if name in complete else pa.nulls(rows, schema.field(name).type) for name in schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _post_types(columns: Mapping[str, pa.Array], invented_from: int | None) -> pa.Array:
    """The name of each post's type; posts that the archive invents have their own, whatever their number says."""
    index = pc.index_in(columns["post_type_id"], _TYPE_NUMBERS)
    names = _TYPE_NAMES.take(pc.fill_null(index, len(POST_TYPES)))
    if invented_from is None:
        return names
    is_large = pc.greater_equal(columns["post_id"].cast(pa.int64()), invented_from)
    is_community = pc.fill_null(pc.equal(columns["user_id"], COMMUNITY), False)
    return pc.if_else(pc.and_(is_large, is_community), INVENTED, names)


def _without_values(maps: pa.Array) -> pa.Array:
    nulls = pa.nulls(len(maps.items), pa.string())
    starts = pa.array(maps.offsets.to_numpy(), pa.int32(), mask=np.append(maps.is_null().to_numpy(False), False))
    return pa.MapArray.from_arrays(starts, maps.keys, nulls)
