"""Resolves XML escapes in attribute texts, in whole columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# The escape of the ampersand must be replaced last, so that "&amp;lt;" becomes "&lt;". The order of the others does not
# matter, because their replacements contain no ampersand.
ESCAPES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#xA;": "\n"}
RARE_ESCAPES = {"&#xD;": "\r", "&#x9;": "\t"}
AMPERSAND = "&amp;"
# A valid value contains no "<", and parsers replace control characters by blanks.
BLANK = 0x20
FOREIGN = r"[\x00-\x1f<]"

Flags = npt.NDArray[np.bool_]


def resolve_escapes(texts: pa.Array) -> tuple[pa.Array, Flags]:
    """Replace the escapes used in dumps by characters.

    Args:
        texts: strings as in the file, or null; at the start of their buffers.

    Returns:
        The texts, and whether they equal the result of an XML parser: False if a text contains a character not allowed
        in values, or an unresolved escape.
    """
    sound = np.ones(len(texts), dtype=bool)
    data = _bytes(texts)
    if b"<" in data or np.frombuffer(data, np.uint8).min(initial=BLANK) < BLANK:
        sound &= ~_flags(pc.match_substring_regex(texts, FOREIGN))
    if b"&" in data:
        texts = _replace(texts, ESCAPES)
        if not _all_ampersands(texts):
            texts = _replace(texts, RARE_ESCAPES)
            escapes = pc.equal(pc.count_substring(texts, "&"), pc.count_substring(texts, AMPERSAND))
            sound &= _flags(escapes.fill_null(True))
        texts = pc.replace_substring(texts, AMPERSAND, "&")
    return texts, sound


def _replace(texts: pa.Array, replacements: dict[str, str]) -> pa.Array:
    for escape, character in replacements.items():
        texts = pc.replace_substring(texts, escape, character)
    return texts


def _all_ampersands(texts: pa.Array) -> bool:
    data = _bytes(texts)
    return data.count(b"&") == data.count(AMPERSAND.encode())


def _bytes(texts: pa.Array) -> bytes:
    """The concatenation of all texts, because one search in it is much faster than a search per text."""
    data = texts.buffers()[2]
    return bytes(data or b"")


def _flags(values: pa.Array) -> Flags:
    return values.fill_null(False).to_numpy(zero_copy_only=False)
