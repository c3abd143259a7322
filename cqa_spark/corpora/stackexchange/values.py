"""Converts attribute texts to the types of their columns with native expressions; null if a text does not fit."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import chain

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

# Numbers short enough for 64 bits, separated by a character that is invalid in JSON strings.
BETWEEN_NUMBERS = "\x01"
PLAIN_NUMBERS = r"^(?:0|-?[1-9][0-9]{0,17})(?:\x01(?:0|-?[1-9][0-9]{0,17}))*\z"

# Times outside of these years are placeholders, such as .NET's 0001-01-01, or damage. Spark refuses to write a table
# with a time before 1900 (WRITE_ANCIENT_DATETIME). The rebase mode CORRECTED would only move the failure to readers:
# Python's datetime covers the years 1 to 9999, pandas' nanoseconds 1677 to 2262.
FIRST_YEAR, LAST_YEAR = 1970, 2199
_EARLIEST, _END = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)

OTHER_POST_TYPE = "other"
INVENTED = "invented"
"""The type of posts that the archive invents; nothing is computed from what is neither a question nor an answer."""
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


def value(text: Column, name: str, data_type: T.DataType) -> Column:
    """The typed value of an attribute's text.

    Args:
        text: the attribute as a string, escapes resolved.
        name: the target column; string columns whose names end in ``_id`` contain integers, as written.
        data_type: the column's type.
    """
    unchecked = unchecked_value(text, data_type)
    if not is_number(name, data_type):
        return unchecked
    return F.when(_is_whole(text, T.LongType() if is_id(name, data_type) else data_type), unchecked)


def unchecked_value(text: Column, data_type: T.DataType) -> Column:
    """Like ``value``, but undefined unless the text is not null and ``PLAIN_NUMBERS`` matches all numbers of the row.

    One check of all numbers of a row is cheaper than a check of each.
    """
    if isinstance(data_type, T.StringType):
        return text
    if isinstance(data_type, T.TimestampType):
        return utc_time(text)
    return tag_list(text) if isinstance(data_type, T.ArrayType) else text.cast(data_type)


def is_number(name: str, data_type: T.DataType) -> bool:
    """Whether a column's attribute is an integer."""
    return is_id(name, data_type) or isinstance(data_type, T.IntegerType | T.LongType)


def is_id(name: str, data_type: T.DataType) -> bool:
    """Whether a column contains ids, which are integers in dumps and strings in the lake."""
    return isinstance(data_type, T.StringType) and name.endswith("_id")


def utc_time(text: Column) -> Column:
    """A time from ``FIRST_YEAR`` to ``LAST_YEAR``. Dumps have no time zones, so the session's zone applies, UTC.

    A date without a time is midnight.
    """
    # Spark parses a time without a date as today, and a month without a day as its first day.
    names_a_day = (F.substring(text, 5, 1) == "-") & (F.substring(text, 8, 1) == "-")
    time = text.cast("timestamp")
    return F.when(names_a_day & (time >= F.lit(_EARLIEST)) & (time < F.lit(_END)), time)


def tag_list(text: Column) -> Column:
    """The tags in order, from either format, ``<a><b>`` or ``|a|b|``."""
    return F.array_remove(F.split(text, r"[<>|]+"), "")


def post_type(post_type_id: Column) -> Column:
    """The name of a post type."""
    names = F.create_map(*[F.lit(each) for each in chain.from_iterable(POST_TYPES.items())])
    return F.coalesce(names[post_type_id], F.lit(OTHER_POST_TYPE))


def _is_whole(text: Column, data_type: T.DataType) -> Column:
    """Whether a text is an integer of the type in canonical form, without blanks, plus signs or leading zeros."""
    return text.cast(data_type).cast("string") == text
