"""Turns the rows of a scan into typed columns; those with a value that does not fit its column are set apart.

The compiled loops read only the forms in which dumps write numbers, times and booleans. A value of another form counts
as unfit, and its row is left to the parser, which knows all forms (``values.py``). An empty value is no value.

All loops work on the bytes of a text and on two arrays, ``starts`` and ``stops``, with the positions of one value for
each row; the start of a row without a value is ``ABSENT``.
"""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa

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
from cqa_spark.corpora.stackexchange.tables import ROW_ID, UNKNOWN, DumpTable
from cqa_spark.corpora.stackexchange.values import BITS, FIRST_YEAR, LAST_YEAR, ValueKind

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

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

_MOST_DIGITS = 18
"""Digits that surely fit into 64 bits."""

_MINUS, _ZERO, _NINE = b"-09"
_DASH, _COLON, _POINT, _T = b"-:.T"
_AMPERSAND, _LESS, _L = b"&<l"
_TRUE, _FALSE = np.frombuffer(b"True", np.uint8), np.frombuffer(b"False", np.uint8)
_DAYS = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_SECOND = 1_000_000
_ONE = np.uintp(1)

_is_between_tags = np.zeros(256, np.bool_)
"""Whether a byte separates tags."""
_is_between_tags[np.frombuffer(b"<>|", np.uint8)] = True


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
                limit = 2 ** (BITS[kind] - 1)
                whole_numbers(self._text, starts, stops, -limit, limit - 1, numbers, self.fits)
            elif kind is ValueKind.TIME:
                times(self._text, starts, stops, numbers, self.fits)
            elif kind is ValueKind.BOOLEAN:
                booleans(self._text, starts, stops, numbers, self.fits)
            self._numbers[column] = numbers
            if attribute in dump.required:
                # An empty value is a value only as a text.
                self.fits &= (starts != ABSENT) & ((stops != starts) | (kind is ValueKind.TEXT))
        self.ids = self._numbers[dump.attributes[ROW_ID]]

    def columns(self, rows: Flags) -> dict[str, pa.Array]:
        """The columns of some rows, all of which fit: those that attributes fill, and the unknown attributes."""
        columns = {
            column: self._column(index, column, rows) for index, column in enumerate(self._dump.attributes.values())
        }
        return {**columns, UNKNOWN: self._unknown(rows)}

    def _positions(self, index: int) -> tuple[Positions, Positions]:
        # The scan holds the values of a row side by side; the loops read those of an attribute.
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
        if not len(self._scan.unknown):
            return pa.nulls(int(rows.sum()), UNKNOWN_TYPE)
        unknown = self._scan.unknown[rows[self._scan.unknown[:, 0]]]
        _, name_start, name_stop, start, stop, escaped = (
            np.ascontiguousarray(unknown[:, index]) for index in range(len(UNKNOWN_FIELDS))
        )
        names = text_column(self._text, name_start, name_stop, np.zeros(len(unknown), np.bool_))
        texts = text_column(self._text, start, stop, escaped.astype(np.bool_))
        # The attributes of a row follow each other, so its map starts where those of the rows before it end. A null
        # start makes the map null; there is one start more than rows, the end of the last map.
        counts = np.bincount(unknown[:, 0], minlength=len(rows))[rows]
        starts = pa.array(np.concatenate(([0], np.cumsum(counts))), pa.int32(), mask=np.append(counts == 0, False))
        return pa.MapArray.from_arrays(starts, names, texts)


def text_column(text: Bytes, starts: Positions, stops: Positions, escaped: Flags) -> pa.Array:
    """The texts of values as strings; null without a value.

    Args:
        text: the bytes.
        starts: start of each value; ``ABSENT`` without one.
        stops: end of each value.
        escaped: whether the value has references, all of which must be sound.
    """
    # No reference is shorter than its character, so the bytes of the values suffice.
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
    text_bytes = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    # The most that lists, tags and their bytes can take: a tag has at least one byte.
    list_offsets, tag_offsets = np.empty(len(texts) + 1, np.int32), np.empty(len(text_bytes) + 1, np.int32)
    tag_bytes = np.empty(len(text_bytes), np.uint8)
    count = _split_tags(text_bytes, text_offsets, list_offsets, tag_offsets, tag_bytes)
    tag_buffers = [None, pa.py_buffer(tag_offsets[: count + 1]), pa.py_buffer(tag_bytes[: tag_offsets[count]])]
    tags = pa.Array.from_buffers(pa.string(), count, tag_buffers)
    is_valid = texts.is_valid().to_numpy(zero_copy_only=False)
    list_buffers = [validity(is_valid), pa.py_buffer(list_offsets)]
    return pa.Array.from_buffers(pa.list_(pa.string()), len(texts), list_buffers, children=[tags])


def validity(is_valid: Flags) -> pa.Buffer | None:
    """The validity bitmap of an Arrow array; None if all its values are valid."""
    return None if is_valid.all() else pa.py_buffer(np.packbits(is_valid, bitorder="little"))


@numba.njit(cache=True, nogil=True)
def whole_numbers(
    text: Bytes, starts: Positions, stops: Positions, lowest: int, highest: int, numbers: Numbers, fits: Flags
) -> None:
    """Read integers in canonical form: without blanks, plus signs and leading zeros.

    Args:
        text: the bytes.
        starts: starts of values.
        stops: their ends.
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
        # A leading zero, and a minus before zero, are other forms of a number.
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
        starts: starts of values.
        stops: their ends.
        moments: receives the times, in microseconds since 1970; 0 without a value.
        fits: is set to False for values that are no times of the years ``FIRST_YEAR`` to ``LAST_YEAR``.
    """
    for row in range(len(starts)):
        moments[row] = 0
        start, stop = starts[row], stops[row]
        length = stop - start
        if start < 0 or length == 0:
            continue
        # A day has 10 bytes, a time without decimals 19, one with a point and up to nine decimals 21 to 29.
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
            # Decimals after six must be digits, and are cut; missing ones are zeros.
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
        starts: starts of values.
        stops: their ends.
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
    # Years start in March, so that a leap day is the last of a year and needs no case of its own.
    if month <= 2:
        year -= 1
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


@numba.njit(cache=True, nogil=True)
def _unescape(text: Bytes, starts: Positions, stops: Positions, escaped: Flags, data: Bytes, offsets: Positions) -> int:
    """Write values one after the other as strings of Arrow; return the number of bytes.

    Args:
        text: the bytes.
        starts: starts of values.
        stops: their ends.
        escaped: whether a value has references.
        data: receives the bytes of all strings.
        offsets: receives the start of each string in ``data``, and the end of the last; one more than values.
    """
    # Unsigned positions spare the loops a check for positions from the end.
    used = np.uintp(0)
    for value in range(len(starts)):
        offsets[value] = used
        if starts[value] == ABSENT:
            continue
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
                # The bytes of the character move ``used`` on, those of the reference ``position``.
                used = np.uintp(put_character(code, data, signed(used)))
                position += np.uintp(length)
            else:
                data[used] = text[position]
                used += _ONE
                position += _ONE
    offsets[len(starts)] = used
    return signed(used)


@numba.njit(cache=True, nogil=True)
def _split_tags(
    texts: Bytes, text_offsets: Positions, list_offsets: Positions, tag_offsets: Positions, tags: Bytes
) -> int:
    """Write the tags of texts as lists of strings of Arrow; return the number of tags.

    Args:
        texts: the bytes of all texts.
        text_offsets: the start of each text in ``texts``, and the end of the last.
        list_offsets: receives the number of the first tag of each text, and the number of all.
        tag_offsets: receives the start of each tag in ``tags``, and the end of the last.
        tags: receives the bytes of all tags, without what separates them.
    """
    count = used = 0
    tag_offsets[0] = 0
    for value in range(len(text_offsets) - 1):
        list_offsets[value] = count
        for position in range(text_offsets[value], text_offsets[value + 1]):
            if not _is_between_tags[texts[position]]:
                tags[used] = texts[position]
                used += 1
            is_last = position + 1 == text_offsets[value + 1] or _is_between_tags[texts[position + 1]]
            # Separators that follow each other have no tag between them.
            if is_last and used > tag_offsets[count]:
                count += 1
                tag_offsets[count] = used
    list_offsets[len(text_offsets) - 1] = count
    return count
