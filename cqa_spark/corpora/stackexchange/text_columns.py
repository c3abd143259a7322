"""Builds columns of texts from the bytes of values, in compiled code: references become characters, tags a list."""

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cqa_spark.corpora.stackexchange.characters import Bytes, put_character, reference, signed
from cqa_spark.corpora.stackexchange.scanner import ABSENT, Positions

Flags = npt.NDArray[np.bool_]

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
