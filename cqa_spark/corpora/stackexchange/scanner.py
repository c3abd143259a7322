"""Finds rows, attributes and values in the lines of a dump, in one compiled pass over their bytes.

Dumps have one row per line, values in double quotes, and double quotes within values as references. A line of exactly
this form is a row, and its values are those that an XML parser reads; every other line is left to a parser.

Source: XML 1.0, sections 2.2 (characters), 4.1 (references) and 4.6 (predefined entities).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int32]

MOST_LINES = 1 << 16
"""Lines of a scan."""

MOST_UNKNOWN = 16
"""Attributes without a declared name in a row, above which it is left to the parser."""

ABSENT = -1
"""The start of a value that a row does not have."""

UNKNOWN_FIELDS = ("row", "name_start", "name_stop", "start", "stop", "escaped")

INVALID = 0
"""Length of what is not a character."""

_LONGEST = 10
"""Bytes of the longest numeric reference that is resolved, such as ``&#x10FFFF;``; XML allows more leading zeros."""

_SHORTEST = 4
"""Bytes of the shortest reference, such as ``&lt;``."""

_ONE = np.uintp(1)

_BLANK, _TAB, _RETURN, _QUOTE, _EQUALS, _SLASH, _GREATER = b' \t\r"=/>'
_SEMICOLON, _NUMBER, _HEXADECIMAL, _ZERO, _NINE = b";#x09"
_A, _G, _L, _M, _O, _P, _Q, _S, _T, _U = b"aglmopqstu"
_LESS, _AMPERSAND, _DOUBLE_QUOTE, _APOSTROPHE = b"<&\"'"
_ROW = np.frombuffer(b"<row ", np.uint8)
_NAMESPACE = np.frombuffer(b"xmlns", np.uint8)

_PLAIN, _OTHER = 0, 1
_in_value = np.zeros(256, np.uint8)
"""The kind of each byte in a value: those that are not plain end or change the value, or are not allowed in it."""
_in_value[:0x20] = _in_value[0x80:] = _OTHER
_in_value[np.frombuffer(b'"&<', np.uint8)] = _OTHER

_NAME, _NAME_START = 1, 2
_in_name = np.zeros(256, np.uint8)
"""Whether a byte may be in a name, and whether a name may start with it; names with other letters go to the parser."""
_in_name[np.frombuffer(b"0123456789.-", np.uint8)] = _NAME
_in_name[np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", np.uint8)] = _NAME | _NAME_START


class Scan(NamedTuple):
    """The rows and other lines of a part of a text; positions are in bytes from the start of the text.

    Attributes:
        end: position after the last line that was scanned.
        rows: start of each row's line, and its end without the separator; int32 (rows, 2).
        starts: start of the value of each declared attribute; ``ABSENT`` without one; int32 (rows, attributes).
        stops: end of these values.
        escaped: bit k is set if the value of attribute k has references; int32 (rows,).
        unknown: other attributes, in the order of rows; int32 (values, fields of ``UNKNOWN_FIELDS``).
        blank: start of each line of nothing but blanks.
        suspect: start of each other line.
    """

    end: int
    rows: Positions
    starts: Positions
    stops: Positions
    escaped: Positions
    unknown: Positions
    blank: Positions
    suspect: Positions


@dataclass(frozen=True)
class Scanner:
    """Scans lines; its buffers are used for one scan after the other.

    Attributes:
        names: the declared attributes, at most 31.
    """

    names: Sequence[str]
    _name_bytes: Bytes = field(init=False, repr=False)
    _name_starts: Positions = field(init=False, repr=False)
    _buffers: tuple[Positions, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Allocate the buffers."""
        encoded = [name.encode() for name in self.names]
        starts = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
        wide = (MOST_LINES, len(encoded))
        shapes = [(MOST_LINES, 2), wide, wide, (MOST_LINES,), (2 * MOST_LINES, len(UNKNOWN_FIELDS)),
                  (MOST_LINES,), (MOST_LINES,)]  # fmt: skip
        object.__setattr__(self, "_name_bytes", np.frombuffer(b"".join(encoded), np.uint8))
        object.__setattr__(self, "_name_starts", starts)
        object.__setattr__(self, "_buffers", tuple(np.empty(shape, np.int32) for shape in shapes))

    def scan(self, text: bytes, start: int, stop: int, separator: int) -> Scan:
        """Scan up to ``MOST_LINES`` lines; the result is valid until the next call.

        Args:
            text: at most 2 GB.
            start: position of the first line.
            stop: end of the last line, or position after its separator.
            separator: the byte between lines.
        """
        end, *sizes = _scan(
            np.frombuffer(text, np.uint8), start, stop, separator, self._name_bytes, self._name_starts, *self._buffers
        )
        rows, unknown, blank, suspect = sizes
        lengths = (rows, rows, rows, rows, unknown, blank, suspect)
        return Scan(end, *[buffer[:length] for buffer, length in zip(self._buffers, lengths, strict=True)])


@numba.njit(cache=True, nogil=True)
def _scan(
    text: Bytes,
    start: int,
    stop: int,
    separator: int,
    names: Bytes,
    name_starts: Positions,
    rows: Positions,
    starts: Positions,
    stops: Positions,
    escaped: Positions,
    unknown: Positions,
    blank: Positions,
    suspect: Positions,
) -> tuple[int, int, int, int, int]:
    """Fill the buffers; return the position after the last line, and the numbers of rows, unknown, blank, suspect.

    Args:
        text: the bytes.
        start: position of the first line.
        stop: end of the last line.
        separator: the byte between lines.
        names: the bytes of all declared names, one after the other.
        name_starts: the start of each name in ``names``, and the end of the last.
        rows: as of ``Scan``; this and the further arrays have room for a scan and are filled from the start.
        starts: as of ``Scan``.
        stops: as of ``Scan``.
        escaped: as of ``Scan``.
        unknown: as of ``Scan``.
        blank: as of ``Scan``.
        suspect: as of ``Scan``.
    """
    row_count = unknown_count = blank_count = suspect_count = lines = 0
    position = start
    # A row adds at most MOST_UNKNOWN entries to the unknown attributes, so that they cannot overflow within a line.
    while position < stop and lines < len(rows) and unknown_count + MOST_UNKNOWN < len(unknown):
        lines += 1
        first = position
        while first < stop and text[first] == _BLANK:
            first += 1
        is_row, end = False, first
        if first + 5 <= stop and is_word(text, first, first + 5, _ROW):
            # The row is written in place behind the sound ones; the next line overwrites one that is not sound,
            # because the counts move on only for sound rows. The blank after "<row" is that before the first attribute.
            is_row, end, new_unknown = _scan_row(
                text, first + 4, stop, separator, names, name_starts, starts[row_count], stops[row_count], escaped,
                row_count, unknown, unknown_count,
            )  # fmt: skip
            if is_row:
                rows[row_count, 0], rows[row_count, 1] = position, end
                row_count += 1
                unknown_count = new_unknown
        if not is_row:
            after_blanks = first
            while after_blanks < stop and text[after_blanks] in (_BLANK, _TAB, _RETURN):
                if text[after_blanks] == separator:
                    break
                after_blanks += 1
            # ``end`` is somewhere on the line, after what was scanned of it as a row: go on to the separator.
            end = max(end, after_blanks)
            while end < stop and text[end] != separator:
                end += 1
            if after_blanks == end:
                blank[blank_count] = position
                blank_count += 1
            else:
                suspect[suspect_count] = position
                suspect_count += 1
        position = min(end + 1, stop)
    return position, row_count, unknown_count, blank_count, suspect_count


@numba.njit(cache=True, nogil=True)
def _scan_row(
    text: Bytes,
    position: int,
    stop: int,
    separator: int,
    names: Bytes,
    name_starts: Positions,
    starts: Positions,
    stops: Positions,
    escaped: Positions,
    row: int,
    unknown: Positions,
    unknown_count: int,
) -> tuple[bool, int, int]:
    """Scan the attributes of a row from the blank before the first.

    Args:
        text: the bytes.
        position: of the blank.
        stop: end of the last line.
        separator: the byte between lines.
        names: the bytes of all declared names.
        name_starts: the start of each name in ``names``, and the end of the last.
        starts: receives the start of the row's value of each declared attribute.
        stops: receives the ends.
        escaped: of all rows; receives the bits of this one.
        row: the number of the row.
        unknown: of all rows; receives the other attributes.
        unknown_count: number of its entries.

    Returns:
        Whether the row is sound, its end, and the number of entries in ``unknown``. The end of a row that is not sound
        is where that was seen, not after its line.
    """
    starts[:] = ABSENT
    bits, expected, count, first_unknown = 0, 0, 0, unknown_count
    while position + 2 < stop and text[position] == _BLANK:
        position += 1
        if text[position] == _SLASH:
            # The end of the tag, which must be that of the line.
            position += 2
            if count == 0 or text[position - 1] != _GREATER:
                return False, position - 2, unknown_count
            if position < stop and text[position] == _RETURN and separator != _RETURN:
                position += 1
            is_end = position == stop or text[position] == separator
            escaped[row] = bits
            return is_end, position - (not is_end), unknown_count
        name_start = position
        while position < stop and _in_name[text[position]]:
            position += 1
        name_stop = position
        is_name = name_stop > name_start and _in_name[text[name_start]] & _NAME_START
        if not is_name or position + 1 >= stop or text[position] != _EQUALS or text[position + 1] != _QUOTE:
            return False, position, unknown_count
        value_start = position + 2
        position, has_references = value_end(text, value_start, stop)
        if position >= stop or text[position] != _QUOTE:
            return False, position, unknown_count
        # ``position`` is at the closing quote.
        name = _index_of(text, name_start, name_stop, names, name_starts, expected)
        if name >= 0:
            if starts[name] != ABSENT:
                return False, position, unknown_count
            starts[name], stops[name] = value_start, position
            bits |= has_references << name
            expected = name + 1  # dumps write attributes in one order
        else:
            # Namespaces change the names of other attributes, and a name twice is no XML: the parser says so.
            if unknown_count - first_unknown == MOST_UNKNOWN or is_word(text, name_start, name_stop, _NAMESPACE):
                return False, position, unknown_count
            for entry in range(first_unknown, unknown_count):
                if is_word(text, name_start, name_stop, text[unknown[entry, 1] : unknown[entry, 2]]):
                    return False, position, unknown_count
            unknown[unknown_count, 0] = row
            unknown[unknown_count, 1], unknown[unknown_count, 2] = name_start, name_stop
            unknown[unknown_count, 3], unknown[unknown_count, 4] = value_start, position
            unknown[unknown_count, 5] = has_references
            unknown_count += 1
        count += 1
        position += 1
    return False, min(position, stop), unknown_count


@numba.njit(cache=True, nogil=True)
def _index_of(text: Bytes, start: int, stop: int, names: Bytes, name_starts: Positions, expected: int) -> int:
    """The index of a name, which is most often the expected one or one after it; -1 if it is none of them."""
    count = len(name_starts) - 1
    for step in range(count):
        index = (expected + step) % count
        if is_word(text, start, stop, names[name_starts[index] : name_starts[index + 1]]):
            return index
    return -1


@numba.njit(cache=True, nogil=True)
def is_word(text: Bytes, start: int, stop: int, word: Bytes) -> bool:
    """Whether a part of a text is a word."""
    length = stop - start
    matching = 0
    while length == len(word) and matching < length and text[start + matching] == word[matching]:
        matching += 1
    return matching == length and length == len(word)


@numba.njit(cache=True, nogil=True)
def value_end(text: Bytes, position: int, stop: int) -> tuple[int, int]:
    """The position of the quote after a value, or of a byte that must not be in it; and whether it has references."""
    has_references = 0
    # Unsigned positions spare the loop a check for positions from the end.
    index, end = np.uintp(position), np.uintp(stop)
    while index < end:
        byte = text[index]
        if _in_value[byte] == _PLAIN:
            index += _ONE
            continue
        if byte == _AMPERSAND:
            has_references = 1
            _, length = reference(text, signed(index), stop)
        elif byte >= 0x80:
            length = character_length(text, signed(index), stop)
        else:
            break
        if length == INVALID:
            break
        index += np.uintp(length)
    return signed(index), has_references


@numba.njit(cache=True, nogil=True)
def reference(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """The code of the character that a reference stands for, and the number of its bytes.

    Args:
        text: the bytes.
        start: position of the ampersand.
        stop: end of the value.

    Returns:
        Code and length; the length is ``INVALID`` if it is no predefined entity and no reference to a character.
    """
    # Up to a tenth of a text are references, so that a general search for the semicolon would take most of the time.
    length = stop - start
    if length < _SHORTEST:
        return 0, INVALID
    first, second, third = text[start + 1], text[start + 2], text[start + 3]
    if first == _NUMBER:
        return _number(text, start, stop)
    if second == _T and third == _SEMICOLON:
        if first == _L:
            return _LESS, 4
        return (_GREATER, 4) if first == _G else (0, INVALID)
    if first == _A and second == _M and third == _P:
        return (_AMPERSAND, 5) if length >= 5 and text[start + 4] == _SEMICOLON else (0, INVALID)
    if length < 6 or text[start + 5] != _SEMICOLON or third != _O:
        return 0, INVALID
    if first == _Q and second == _U and text[start + 4] == _T:
        return _DOUBLE_QUOTE, 6
    return (_APOSTROPHE, 6) if first == _A and second == _P and text[start + 4] == _S else (0, INVALID)


@numba.njit(cache=True, nogil=True)
def _number(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """The code and the length of a numeric reference."""
    is_hexadecimal = text[start + 2] == _HEXADECIMAL
    base, first = (16, start + 3) if is_hexadecimal else (10, start + 2)
    code, position = 0, first
    while position < min(stop, start + _LONGEST):
        byte = text[position]
        if _ZERO <= byte <= _NINE:
            code = code * base + (byte - _ZERO)
        # Clearing 0x20 makes a letter a capital, of which A, 0x41, is 0x37 above its value.
        elif is_hexadecimal and 0xA <= (byte & 0xDF) - 0x37 <= 0xF:
            code = code * base + (byte & 0xDF) - 0x37
        else:
            break
        position += 1
    is_sound = first < position < stop and text[position] == _SEMICOLON and is_character(code)
    return (code, position - start + 1) if is_sound else (0, INVALID)


@numba.njit(cache=True, nogil=True)
def character_length(text: Bytes, start: int, stop: int) -> int:
    """The number of bytes of a character outside of ASCII; ``INVALID`` if it is no UTF-8, or not allowed in XML.

    Args:
        text: the bytes.
        start: position of its first byte, at least 0x80.
        stop: end of the value.
    """
    first = text[start]
    if 0xC2 <= first <= 0xDF:
        length, code = 2, first & 0x1F
    elif 0xE0 <= first <= 0xEF:
        length, code = 3, first & 0xF
    elif 0xF0 <= first <= 0xF4:
        length, code = 4, first & 0x7
    else:
        return INVALID
    if start + length > stop:
        return INVALID
    for position in range(start + 1, start + length):
        if text[position] & 0xC0 != 0x80:
            return INVALID
        code = (code << 6) | (text[position] & 0x3F)
    # UTF-8 excludes codes in more bytes than they need.
    is_shortest = code >= (0x80 if length == 2 else 0x800 if length == 3 else 0x10000)
    return length if is_shortest and is_character(code) else INVALID


@numba.njit(cache=True, nogil=True)
def is_character(code: int) -> bool:
    """Whether XML allows the character with a code; U+FFFE and U+FFFF are none."""
    if code < 0x20:
        return code in (0x9, 0xA, 0xD)
    return code < 0xD800 or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF


@numba.njit(cache=True, nogil=True)
def put_character(code: int, target: Bytes, position: int) -> int:
    """Write a character as UTF-8; return the position after it. No reference is shorter than its character."""
    if code < 0x80:
        target[position] = code
        return position + 1
    if code < 0x800:
        target[position] = 0xC0 | (code >> 6)
        target[position + 1] = 0x80 | (code & 0x3F)
        return position + 2
    if code < 0x10000:
        target[position] = 0xE0 | (code >> 12)
        target[position + 1] = 0x80 | ((code >> 6) & 0x3F)
        target[position + 2] = 0x80 | (code & 0x3F)
        return position + 3
    target[position] = 0xF0 | (code >> 18)
    target[position + 1] = 0x80 | ((code >> 12) & 0x3F)
    target[position + 2] = 0x80 | ((code >> 6) & 0x3F)
    target[position + 3] = 0x80 | (code & 0x3F)
    return position + 4


@numba.njit(cache=True, nogil=True)
def signed(position: np.uintp) -> int:
    """An unsigned position as a signed one."""
    return np.int64(position)  # type: ignore[return-value]
