"""Extracts the words of posts by regular expressions, fast enough for a whole dump, in Spark and in Python."""

import re

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.text.scripts import TERM, spaced, spaced_text

# Text after an unclosed "<" is kept. It is matched as a whole, so that the search does not restart at every "<" in it.
_TAG = r"<[^>]*+>|(<[^>]*+)"


_CLOSED_TAG = re.compile(r"<[^>]*+>")


_WORD = rf"{TERM}|[\p{{L}}\p{{N}}_]+"


_PYTHON_WORD = re.compile(rf"{TERM}|\w+")


def plain_text() -> Column:
    """Title and body of a row of ``posts``, without HTML tags; code and entities are kept."""
    return F.trim(F.concat_ws(" ", "subject", F.regexp_replace(F.coalesce("body", F.lit("")), _TAG, " $1")))


def post_words() -> Column:
    """The runs of letters, digits and underscores of a row of ``posts``, in lower case, in order.

    In scripts without spaces, words are pairs of characters.
    """
    return F.regexp_extract_all(spaced(F.lower(plain_text())), F.lit(_WORD), 0)


def plain_text_of(subject: str | None, body: str | None) -> str:
    """What ``plain_text`` gives."""
    head, unclosed, tail = _CLOSED_TAG.sub(" ", body or "").partition("<")
    without_tags = f"{head} {unclosed}{tail}" if unclosed else head
    return " ".join([*([] if subject is None else [subject]), without_tags]).strip(" ")


def words_of(plain: str) -> list[str]:
    """The result of ``post_words`` for a post with this plain text."""
    return _PYTHON_WORD.findall(spaced_text(plain.lower()))
