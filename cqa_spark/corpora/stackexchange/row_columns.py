"""Turns the rows of a scan into typed columns; those with a value that does not fit its column are set apart."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cqa_spark.corpora.stackexchange.characters import Bytes
from cqa_spark.corpora.stackexchange.dump_tables import ROW_ID, DumpTable
from cqa_spark.corpora.stackexchange.scanner import ABSENT, UNKNOWN_FIELDS, Positions, Scan
from cqa_spark.corpora.stackexchange.text_columns import Flags, tag_column, text_column, validity
from cqa_spark.corpora.stackexchange.value_columns import Numbers, booleans, times, whole_numbers
from cqa_spark.corpora.stackexchange.values import BITS, ValueKind

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
