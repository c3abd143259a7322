"""Recognises what may stand around the rows of a dump: the root's tags, comments, processing instructions, a DOCTYPE.

They are no rows and no damage, whatever they contain, even what looks like a row or a tag. A comment or instruction
that does not end is damage, and so is one with another of its kind in it, which shows that the first did not end.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F


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


# Converts the texts of attributes to the values of their columns, in every form that is read; what votes mean.

ACCEPTED, UP, DOWN = 1, 2, 3
"""Values of ``vote_type_id``."""

_MICROSECONDS_A_DAY = 86_400_000_000


def end_of_day(moment: str) -> Column:
    """The midnight at the end of a moment's day, UTC; null for a null moment.

    Votes have dates without times, so a vote is known at the end of its day.

    Args:
        moment: name of a timestamp column.
    """
    # Arithmetic is faster than Spark's date functions, which build a calendar date for every row.
    since_1970 = F.unix_micros(F.col(moment))
    return F.timestamp_micros(since_1970 - F.pmod(since_1970, F.lit(_MICROSECONDS_A_DAY)) + _MICROSECONDS_A_DAY)


# Times outside of these years are placeholders, such as .NET's 0001-01-01, or damage. Spark refuses to write a table
# with a time before 1900 (WRITE_ANCIENT_DATETIME), and pandas' nanoseconds cover the years 1677 to 2262.
FIRST_YEAR, LAST_YEAR = 1970, 2199

OTHER_POST_TYPE = "other"
INVENTED = "invented"
"""The type of posts that the archive invents; nothing is computed from what is neither a question nor an answer."""
DELETED = "deleted"
"""The type of deleted posts, which dumps of closed sites have; rankings, labels and texts are without them."""
POST_TYPES = {
    1: "question",
    2: "answer",
    3: "orphaned_tag_wiki",
    4: "tag_wiki_excerpt",
    5: "tag_wiki",
    6: "moderator_nomination",
    7: "wiki_placeholder",
    8: "privilege_wiki",
    9: "article",
    10: "help_article",
    12: "collection",
    13: "moderator_questionnaire_response",
    14: "announcement",
    15: "collective_discussion",
    17: "collective_collection",
}


class ValueKind(Enum):
    """The kind of an attribute's values, by its name in messages; ids are integers in dumps and strings in the lake."""

    TEXT = "text"
    TAGS = "list of tags"
    ID = "whole number"
    INTEGER = f"{ID} of 32 bits"
    LONG = f"{ID} of 64 bits"
    BOOLEAN = "True or False"
    TIME = f"time from {FIRST_YEAR} to {LAST_YEAR}"


Value = str | int | bool | datetime | list[str] | None

BITS = {ValueKind.ID: 64, ValueKind.INTEGER: 32, ValueKind.LONG: 64}
"""The sizes of integers."""

_TRUE, _FALSE = ({"t", "true", "y", "yes", "1"}, {"f", "false", "n", "no", "0"})
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")
_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{1,2})"
    r"(?:[T ](?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2})(?::(?P<second>[0-9]{1,2})(?:\.(?P<decimals>[0-9]*))?)?"
    r"(?P<zone> ?(?:Z|UTC|GMT)|(?P<sign>[+-])(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?)?)?[ \t\r\n]*"
)
_LARGEST_OFFSET = timedelta(hours=18)


class Unfit(ValueError):
    """A text is no value of its kind."""


def value(text: str, kind: ValueKind) -> Value:
    """The value of a text without references; None for an empty text, except of kind ``TEXT`` and ``TAGS``.

    Raises:
        Unfit: it is none of the kind.
    """
    if kind is ValueKind.TEXT:
        return text
    if kind is ValueKind.TAGS:
        return [tag for tag in re.split(r"[<>|]", text) if tag]
    if not text:
        return None
    if kind is ValueKind.TIME:
        return _time(text)
    if kind is ValueKind.BOOLEAN:
        word = text.strip().lower()
        if word not in _TRUE | _FALSE:
            raise Unfit
        return word in _TRUE
    if not _WHOLE.fullmatch(text) or not -(2 ** (BITS[kind] - 1)) <= int(text) < 2 ** (BITS[kind] - 1):
        raise Unfit
    return text if kind is ValueKind.ID else int(text)


def _time(text: str) -> datetime:
    """A time, in UTC; dumps have no time zones, and a day without a time is midnight. Decimals after six are cut."""
    parts = _TIME.fullmatch(text)
    if parts is None:
        raise Unfit
    year, month, day = map(int, parts["day"].split("-"))
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    offset = timedelta(hours=int(parts["hours"] or 0), minutes=int(parts["minutes"] or 0))
    try:
        micro = int(f"{parts['decimals'] or '':0<6.6}")
        moment = datetime(year, month, day, hour, minute, second, micro, UTC)
        moment = moment + offset if parts["sign"] == "-" else moment - offset
    except (ValueError, OverflowError) as error:
        raise Unfit from error
    if offset > _LARGEST_OFFSET or not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise Unfit
    return moment
