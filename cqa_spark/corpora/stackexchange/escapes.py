"""Resolves XML escapes in attribute texts, in whole columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# No replacement gives an ampersand, so their order does not matter as long as the ampersand's own comes last:
# "&amp;lt;" ends as "&lt;".
ESCAPES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#xA;": "\n"}
RARE_ESCAPES = {"&#xD;": "\r", "&#x9;": "\t"}
AMPERSAND = "&amp;"
# A value holds no "<", and a parser makes a blank of a control character.
BLANK = 0x20
FOREIGN = r"[\x00-\x1f<]"

Flags = npt.NDArray[np.bool_]


def resolve_escapes(texts: pa.Array) -> tuple[pa.Array, Flags]:
    """Replace the escapes used in dumps by characters.

    Args:
        texts: strings as in the file, or null; at the start of their buffers.

    Returns:
        The texts, and whether they are what a parser would make of them: not where a character is none that a value
        may hold as it is, or an escape is left.
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
    """All texts, one after the other: a look at them together is many times as fast as a look at each."""
    data = texts.buffers()[2]
    return bytes(data or b"")


def _flags(values: pa.Array) -> Flags:
    return values.fill_null(False).to_numpy(zero_copy_only=False)
