"""Votes of a dump: the types that judge a post, and the time at which a vote is known."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

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
