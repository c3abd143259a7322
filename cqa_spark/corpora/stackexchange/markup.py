"""Recognises what may stand around the rows of a dump: the root's tags, comments, processing instructions, a DOCTYPE.

They are no rows and no damage, whatever they contain, even what looks like a row or a tag. A comment or instruction
that does not end is damage, and so is one with another of its kind in it, which shows that the first did not end.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class DamagedMarkup(ValueError):
    """A comment, instruction or document type contains what it must not."""


class Prolog(NamedTuple):
    """The start of a file.

    Attributes:
        root: the name of its root element; None if it does not show one.
        end: position of the first byte in the root that is neither blank nor markup.
        within: the construct that is open there, which is at the end of the given bytes.
    """

    root: str | None
    end: int
    within: Construct | None


class Construct(NamedTuple):
    """A kind of markup, which may span lines.

    Attributes:
        name: its name in messages.
        stop: what ends it (group ``end``), starts its subset (``subset``), or must not be in it.
    """

    name: str
    stop: re.Pattern[bytes]


COMMENT = Construct("comment", re.compile(rb"(?P<end>-->)|<!--"))
INSTRUCTION = Construct("processing instruction", re.compile(rb"(?P<end>\?>)|<\?"))
DOCUMENT_TYPE = Construct("document type", re.compile(rb"(?P<end>>)|(?P<subset>\[)|<"))
SUBSET = Construct("document type", re.compile(rb"(?P<end>\]\s*>)"))
CDATA = Construct("CDATA section", re.compile(rb"(?P<end>\]\]>)"))
_BY_OPENING = {b"<!--": COMMENT, b"<?": INSTRUCTION, b"<!DOCTYPE": DOCUMENT_TYPE}

_opening = re.compile(b"|".join(map(re.escape, _BY_OPENING)), re.IGNORECASE)
_blanks = re.compile(rb"\s*+")
_first_tag = re.compile(rb"<(?P<name>[^\s<>/!?]+)")
_last_tag = re.compile(rb"</(?P<name>[^\s<>/!?]+)\s*>|<(?P<empty>[^\s<>/!?]+)(?:\s[^<>]*)?/>")
_row = re.compile(rb"<row(?=[\s/>])[^<]*>(?:\s*</row\s*>)?")


def skip(
    text: bytes, root: str | None, start: int = 0, within: Construct | None = None
) -> tuple[int, Construct | None]:
    """Skip blanks, tags of the root and markup.

    Args:
        text: part of a file.
        root: the element around the rows; None to stop at its tags.
        start: position at which to start.
        within: the construct that an earlier part of the file left open.

    Returns:
        The position of the first byte that is none of these, and the construct that is open at the end of the text.

    Raises:
        DamagedMarkup: a construct contains what shows that it did not end.
    """
    tags, position = _blanks_and_tags(root), start
    while True:
        if within is None:
            blanks = tags.match(text, position)
            assert blanks is not None, "nothing is a match, too"
            opening = _opening.match(text, blanks.end())
            if opening is None:
                return blanks.end(), None
            within, position = _BY_OPENING[opening[0].upper()], opening.end()
        stop = within.stop.search(text, position)
        if stop is None:
            return len(text), within
        if stop.lastgroup is None:
            raise DamagedMarkup(f"a {within.name} does not end before {stop[0].decode()}")
        within, position = SUBSET if stop.lastgroup == "subset" else None, stop.end()


def end_of_row(text: bytes, start: int) -> int | None:
    """The position after the row element at a position; None if there is none, or it is damaged."""
    row = _row.match(text, start)
    return row.end() if row else None


def open_markup(text: bytes, root: str) -> tuple[int, Construct | None]:
    """Find markup that a text leaves open, alone in it or after one row.

    Args:
        text: part of a file, such as a line.
        root: the element around the rows.

    Returns:
        The position after the row, 0 without one, and the open construct, or None.

    Raises:
        DamagedMarkup: as for ``skip``.
    """
    start, left_open = skip(text, root)
    if start == len(text):
        return 0, left_open
    after_row = end_of_row(text, start)
    if after_row is None:
        return 0, None
    end, left_open = skip(text, root, after_row)
    return after_row, left_open if end == len(text) else None


def prolog(head: bytes) -> Prolog:
    """Read the start of a file, without byte order mark.

    Args:
        head: its first bytes.
    """
    try:
        start, within = skip(head, None)
        name = _first_tag.match(head, start)
        if name is None or name["name"] == b"row":
            return Prolog(None, start, within)
        root = name["name"].decode("utf-8", "replace")
        return Prolog(root, *skip(head, root, start))
    except DamagedMarkup:
        return Prolog(None, 0, None)


def last_tag(tail: bytes) -> str | None:
    """The name of the closing tag, or of the empty element, after which there is only markup; None without one.

    Args:
        tail: the last bytes of a file.
    """
    position = 0
    while tag := _last_tag.search(tail, position):
        try:
            position, within = skip(tail, None, tag.end())
        except DamagedMarkup:
            position, within = tag.end(), None
        if within is SUBSET:
            break
        if within is not None:
            position = tag.end()
        elif position == len(tail):
            name = tag[tag.lastgroup or 0].decode("utf-8", "replace")
            return None if _is_in_markup(tail, tag.start(), name) else name
    return None


def _is_in_markup(text: bytes, position: int, root: str) -> bool:
    """Whether markup that starts on the line of a position is open there."""
    start = max(text.rfind(end, 0, position) for end in (b"\n", b"\r")) + 1
    try:
        return open_markup(text[start:position], root)[1] is not None
    except DamagedMarkup:
        return False


@cache
def _blanks_and_tags(root: str | None) -> re.Pattern[bytes]:
    if root is None:
        return _blanks
    return re.compile(rb"(?i)(?:\s|</?%b(?:\s[^<>]*)?/?>)*+" % re.escape(root.encode()))
