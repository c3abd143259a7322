"""Characters and references to them in the bytes of XML values, in compiled code: ``é``, ``&lt;``, ``&#xA;``.

Source: XML 1.0, sections 2.2 (characters), 4.1 (references) and 4.6 (predefined entities).
"""

import numba
import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

_ONE = np.uintp(1)
_PLAIN, _OTHER = 0, 1

INVALID = 0
"""Length of what is not a character."""

_LONGEST = 10
"""Bytes of the longest numeric reference that is resolved, such as ``&#x10FFFF;``; XML allows more leading zeros."""

_SHORTEST = 4

_SEMICOLON, _NUMBER, _HEXADECIMAL, _ZERO, _NINE = b";#x09"
_A, _G, _L, _M, _O, _P, _Q, _S, _T, _U = b"aglmopqstu"
_LESS, _GREATER, _AMPERSAND, _QUOTE, _APOSTROPHE = b"<>&\"'"


_in_value = np.zeros(256, np.uint8)
"""Bytes of values: others than plain ones end or change the value, or are not allowed in it."""
_in_value[:0x20] = _in_value[0x80:] = _OTHER
_in_value[np.frombuffer(b'"&<', np.uint8)] = _OTHER


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
def signed(position: np.uintp) -> int:
    """An unsigned position as a signed one."""
    return np.int64(position)  # type: ignore[return-value]


@numba.njit(cache=True, nogil=True)
def is_character(code: int) -> bool:
    """Whether XML allows the character with a code; U+FFFE and U+FFFF are none."""
    if code < 0x20:
        return code in (0x9, 0xA, 0xD)
    return code < 0xD800 or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF


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
        return _QUOTE, 6
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
    is_shortest = code >= (0x80 if length == 2 else 0x800 if length == 3 else 0x10000)
    return length if is_shortest and is_character(code) else INVALID


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
