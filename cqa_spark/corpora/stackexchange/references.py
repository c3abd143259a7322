"""Resolves references to characters in the bytes of XML, in compiled code: ``&lt;``, ``&#xA;``, ``&#8217;``.

Source: XML 1.0, sections 2.2 (characters), 4.1 (references) and 4.6 (predefined entities).
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

INVALID = 0
"""Length of what is not a character."""

_LONGEST = 10
"""Bytes of the longest reference that is resolved, such as ``&#x10FFFF;``; XML allows any number of leading zeros."""

_AMPERSAND, _SEMICOLON, _NUMBER, _HEXADECIMAL = b"&;#x"


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
    end = start + 1
    while end < stop and end - start < _LONGEST and text[end] != _SEMICOLON:
        end += 1
    if end >= stop or text[end] != _SEMICOLON:
        return 0, INVALID
    length = end - start + 1
    first, second = text[start + 1], text[start + 2]
    code = -1
    if first == _NUMBER:
        code = _number(text, start + 2, end)
    elif length == 4 and second == 0x74:  # t
        code = 0x3C if first == 0x6C else 0x3E if first == 0x67 else -1
    elif length == 5 and first == 0x61 and second == 0x6D and text[start + 3] == 0x70:  # amp
        code = 0x26
    elif length == 6 and second == 0x75 and first == 0x71:  # quot
        code = 0x22 if text[start + 3] == 0x6F and text[start + 4] == 0x74 else -1
    elif length == 6 and second == 0x70 and first == 0x61:  # apos
        code = 0x27 if text[start + 3] == 0x6F and text[start + 4] == 0x73 else -1
    return (code, length) if code >= 0 and is_character(code) else (0, INVALID)


@numba.njit(cache=True, nogil=True)
def _number(text: Bytes, start: int, stop: int) -> int:
    """The number of a numeric reference; -1 without digits, or with anything else among them."""
    base = 10
    if text[start] == _HEXADECIMAL:
        base, start = 16, start + 1
    code = -1
    for position in range(start, stop):
        byte = text[position]
        if 0x30 <= byte <= 0x39:
            digit = byte - 0x30
        elif base == 16 and 0x41 <= (byte & 0xDF) <= 0x46:
            digit = (byte & 0xDF) - 0x37
        else:
            return -1
        code = max(code, 0) * base + digit
    return code


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
