"""The values of attributes: their kinds, the forms of their texts, and the meaning of the numbers of votes and posts.

A parser's texts are converted here, in every form that is read. ``typed_columns.py`` compiles loops for the usual ones.
"""

import re
from datetime import UTC, datetime, timedelta
from enum import Enum

from pyspark.sql import Column
from pyspark.sql import functions as F

# Times outside of these years are placeholders, such as .NET's 0001-01-01, or damage. Spark refuses to write a table
# with a time before 1900 (WRITE_ANCIENT_DATETIME), and pandas' nanoseconds cover the years 1677 to 2262.
FIRST_YEAR, LAST_YEAR = 1970, 2199


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


OTHER_POST_TYPE = "other"
"""The name of types whose number is not in ``POST_TYPES``."""
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
"""Names of ``post_type_id``."""

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
