"""The words of posts by plain expressions, quick enough for every post of a dump: in Spark, and the same in Python."""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as F

# The rest after a "<" without an end stays; taken as a whole, it is not searched again from every "<" in it.
_TAG = r"<[^>]*+>|(<[^>]*+)"
_WORD = r"[\p{L}\p{N}_]+"


def plain_text() -> Column:
    """Title and body of a row of ``posts``, without tags of HTML; code stays, and so do entities."""
    return F.trim(F.concat_ws(" ", "subject", F.regexp_replace(F.coalesce("body", F.lit("")), _TAG, " $1")))


def post_words() -> Column:
    """The runs of letters, digits and underscores of a row of ``posts``, lower case, in order."""
    return F.regexp_extract_all(F.lower(plain_text()), F.lit(_WORD), 0)


def plain_text_of(subject: str | None, body: str | None) -> str:
    """What ``plain_text`` gives."""
    without_tags = re.sub(_TAG, r" \1", body or "")
    return " ".join([*([] if subject is None else [subject]), without_tags]).strip(" ")


def words_of(plain: str) -> list[str]:
    """What ``post_words`` gives for a post with this plain text."""
    return re.findall(r"\w+", plain.lower())
