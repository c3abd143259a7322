"""Turns the rows of a scan into typed columns; those with a value that does not fit its column are set apart."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.markup import (
    BITS,
    DELETED,
    FIRST_YEAR,
    INVENTED,
    LAST_YEAR,
    OTHER_POST_TYPE,
    POST_TYPES,
    ValueKind,
)
from cqa_spark.corpora.stackexchange.scanner import (
    ABSENT,
    UNKNOWN_FIELDS,
    Bytes,
    Positions,
    Scan,
    is_word,
    put_character,
    reference,
    signed,
)
from cqa_spark.corpora.stackexchange.tables import ROW_ID, DumpTable
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.writing import nullable

# Converts the bytes of values to numbers, times and booleans, in compiled code.
#
# Only the forms in which dumps write them are read here. A value of another form counts as unfit, and its row is left
# to the parser, which knows all forms (``values.py``). An empty value is no value.

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_MOST_DIGITS = 18
"""Digits that surely fit into 64 bits."""

_MINUS, _ZERO, _NINE = b"-09"
_DASH, _COLON, _POINT, _T = b"-:.T"
_DAYS = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_SECOND = 1_000_000
_TRUE, _FALSE = np.frombuffer(b"True", np.uint8), np.frombuffer(b"False", np.uint8)


@numba.njit(cache=True, nogil=True)
def whole_numbers(
    text: Bytes, starts: Positions, stops: Positions, lowest: int, highest: int, numbers: Numbers, fits: Flags
) -> None:
    """Read integers in canonical form: without blanks, plus signs and leading zeros.

    Args:
        text: the bytes.
        starts: start of each value, negative without one.
        stops: end of each value.
        lowest: least allowed number.
        highest: greatest allowed number.
        numbers: receives the numbers; 0 without a value.
        fits: is set to False for values that are none.
    """
    for row in range(len(starts)):
        numbers[row] = 0
        position, stop = starts[row], stops[row]
        if position < 0 or position == stop:
            continue
        is_negative = text[position] == _MINUS
        position += is_negative
        digits = stop - position
        number = np.int64(0)
        is_number = 0 < digits <= _MOST_DIGITS
        is_number = is_number and (text[position] != _ZERO or (digits == 1 and not is_negative))
        if is_number:
            for index in range(position, stop):
                byte = text[index]
                is_number = is_number and _ZERO <= byte <= _NINE
                number = number * 10 + (byte - _ZERO)
        if is_negative:
            number = -number
        if is_number and lowest <= number <= highest:
            numbers[row] = number
        else:
            fits[row] = False


@numba.njit(cache=True, nogil=True)
def times(text: Bytes, starts: Positions, stops: Positions, moments: Numbers, fits: Flags) -> None:
    """Read times such as ``2021-03-04T05:06:07.089``, with up to nine decimals or none, and days.

    Args:
        text: the bytes.
        starts: start of each value, negative without one.
        stops: end of each value.
        moments: receives the times, in microseconds since 1970; 0 without a value.
        fits: is set to False for values that are no times of the years ``FIRST_YEAR`` to ``LAST_YEAR``.
    """
    for row in range(len(starts)):
        moments[row] = 0
        start, stop = starts[row], stops[row]
        length = stop - start
        if start < 0 or length == 0:
            continue
        is_time = length == 10 or length == 19 or 21 <= length <= 29
        year = month = day = hour = minute = second = micro = 0
        if is_time:
            year = _number(text, start, start + 4)
            month = _number(text, start + 5, start + 7)
            day = _number(text, start + 8, start + 10)
            is_time = text[start + 4] == _DASH and text[start + 7] == _DASH and min(year, month, day) >= 0
        if is_time and length > 10:
            hour = _number(text, start + 11, start + 13)
            minute = _number(text, start + 14, start + 16)
            second = _number(text, start + 17, start + 19)
            is_time = text[start + 10] == _T and text[start + 13] == _COLON and text[start + 16] == _COLON
            is_time = is_time and 0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60
        if is_time and length > 19:
            micro = _number(text, start + 20, min(stop, start + 26))
            is_time = text[start + 19] == _POINT and micro >= 0
            for index in range(start + 26, stop):
                is_time = is_time and _ZERO <= text[index] <= _NINE
            for _ in range(length, 26):
                micro *= 10
        is_time = is_time and FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12
        if is_time:
            is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
            is_time = 1 <= day <= _DAYS[month] and (month != 2 or day < 29 or is_leap)
        if is_time:
            seconds = ((_days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
            moments[row] = seconds * _SECOND + micro
        else:
            fits[row] = False


@numba.njit(cache=True, nogil=True)
def booleans(text: Bytes, starts: Positions, stops: Positions, numbers: Numbers, fits: Flags) -> None:
    """Read ``True`` and ``False``.

    Args:
        text: the bytes.
        starts: start of each value, negative without one.
        stops: end of each value.
        numbers: receives 1 for true, else 0.
        fits: is set to False for values that are neither.
    """
    for row in range(len(starts)):
        numbers[row] = 0
        start, stop = starts[row], stops[row]
        if start < 0 or start == stop:
            continue
        if is_word(text, start, stop, _TRUE):
            numbers[row] = 1
        elif not is_word(text, start, stop, _FALSE):
            fits[row] = False


@numba.njit(cache=True, nogil=True)
def _number(text: Bytes, start: int, stop: int) -> int:
    """The number of some digits; negative if there is anything else among them."""
    number = 0
    for position in range(start, stop):
        byte = text[position]
        if byte < _ZERO or byte > _NINE:
            return -1
        number = number * 10 + (byte - _ZERO)
    return number


@numba.njit(cache=True, nogil=True)
def _days_since_1970(year: int, month: int, day: int) -> int:
    """Days of the Gregorian calendar.

    Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
    """
    if month <= 2:
        year -= 1
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


# Builds columns of texts from the bytes of values, in compiled code: references become characters, tags a list.

_AMPERSAND, _LESS, _L = b"&<l"
_ONE = np.uintp(1)

_is_between_tags = np.zeros(256, np.bool_)
_is_between_tags[np.frombuffer(b"<>|", np.uint8)] = True


def text_column(text: Bytes, starts: Positions, stops: Positions, escaped: Flags) -> pa.Array:
    """The texts of values as strings; null without a value.

    Args:
        text: the bytes.
        starts: start of each value; ``ABSENT`` without one.
        stops: end of each value.
        escaped: whether the value has references, all of which must be sound.
    """
    size = int((stops - starts)[starts != ABSENT].sum(dtype=np.int64))
    data, offsets = np.empty(size, np.uint8), np.empty(len(starts) + 1, np.int32)
    used = _unescape(text, starts, stops, escaped, data, offsets)
    return pa.Array.from_buffers(
        pa.string(), len(starts), [validity(starts != ABSENT), pa.py_buffer(offsets), pa.py_buffer(data[:used])]
    )


def tag_column(texts: pa.Array) -> pa.Array:
    """The tags of texts in either format, ``<a><b>`` or ``|a|b|``, as lists of strings; null without a text.

    Args:
        texts: strings, at the start of their buffers.
    """
    _, offsets, data = texts.buffers()
    text_offsets = np.frombuffer(offsets, np.int32, len(texts) + 1)
    given = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    of_lists, of_tags, tags = np.empty(len(texts) + 1, np.int32), np.empty(len(given) + 1, np.int32), given.copy()
    count = _split_tags(given, text_offsets, of_lists, of_tags, tags)
    items = pa.Array.from_buffers(
        pa.string(), count, [None, pa.py_buffer(of_tags[: count + 1]), pa.py_buffer(tags[: of_tags[count]])]
    )
    is_given = texts.is_valid().to_numpy(zero_copy_only=False)
    return pa.Array.from_buffers(
        pa.list_(pa.string()), len(texts), [validity(is_given), pa.py_buffer(of_lists)], children=[items]
    )


def validity(is_valid: Flags) -> pa.Buffer | None:
    """The validity bitmap of an Arrow array; None if all its values are valid."""
    return None if is_valid.all() else pa.py_buffer(np.packbits(is_valid, bitorder="little"))


@numba.njit(cache=True, nogil=True)
def _unescape(text: Bytes, starts: Positions, stops: Positions, escaped: Flags, data: Bytes, offsets: Positions) -> int:
    """Fill the buffers of strings; return the number of bytes."""
    used = np.uintp(0)
    for value in range(len(starts)):
        offsets[value] = used
        if starts[value] == ABSENT:
            continue
        # Unsigned positions spare the loop a check for positions from the end.
        position, stop = np.uintp(starts[value]), np.uintp(stops[value])
        if not escaped[value]:
            while position < stop:
                data[used] = text[position]
                used += _ONE
                position += _ONE
            continue
        while position < stop:
            if text[position] == _AMPERSAND:
                code, length = _LESS, 4
                if text[position + _ONE] != _L:  # by far the most frequent reference is that to <
                    code, length = reference(text, signed(position), signed(stop))
                used = np.uintp(put_character(code, data, signed(used)))
                position += np.uintp(length)
            else:
                data[used] = text[position]
                used += _ONE
                position += _ONE
    offsets[len(starts)] = used
    return signed(used)


@numba.njit(cache=True, nogil=True)
def _split_tags(texts: Bytes, text_offsets: Positions, of_lists: Positions, of_tags: Positions, tags: Bytes) -> int:
    """Fill the buffers of lists of tags; return the number of tags."""
    count = used = 0
    of_tags[0] = 0
    for value in range(len(text_offsets) - 1):
        of_lists[value] = count
        for position in range(text_offsets[value], text_offsets[value + 1]):
            if not _is_between_tags[texts[position]]:
                tags[used] = texts[position]
                used += 1
            is_last = position + 1 == text_offsets[value + 1] or _is_between_tags[texts[position + 1]]
            if is_last and used > of_tags[count]:
                count += 1
                of_tags[count] = used
    of_lists[len(text_offsets) - 1] = count
    return count


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


# Turns the columns of a dump's rows into those that their table declares.

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
    """The name of each post's type; deleted and invented posts have their own, whatever their number says."""
    index = pc.index_in(columns["post_type_id"], _TYPE_NUMBERS)
    names = _TYPE_NAMES.take(pc.fill_null(index, len(POST_TYPES)))
    names = pc.if_else(columns["deleted_at"].is_valid(), DELETED, names)
    if invented_from is None:
        return names
    is_large = pc.greater_equal(columns["post_id"].cast(pa.int64()), invented_from)
    is_community = pc.fill_null(pc.equal(columns["user_id"], COMMUNITY), False)
    return pc.if_else(pc.and_(is_large, is_community), INVENTED, names)


def _without_values(maps: pa.Array) -> pa.Array:
    nulls = pa.nulls(len(maps.items), pa.string())
    starts = pa.array(maps.offsets.to_numpy(), pa.int32(), mask=np.append(maps.is_null().to_numpy(False), False))
    return pa.MapArray.from_arrays(starts, maps.keys, nulls)
