"""The words of posts by Spark's own expressions: quick enough for every post of a dump."""

from __future__ import annotations

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
