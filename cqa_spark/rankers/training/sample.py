"""A sample of whole queries, for training on fewer rows than there are."""

from __future__ import annotations

import logging

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_log = logging.getLogger(__name__)
_SEED = 23
_POSITIONS = 1 << 32


def sample_queries(frame: DataFrame, most: int, rows: int) -> DataFrame:
    """Keep about a number of rows, by a hash of their query; the same queries whatever the partitions.

    Args:
        frame: examples.
        most: rows to keep.
        rows: rows of the frame.
    """
    if rows <= most:
        return frame
    _log.warning("learning from a sample of queries: about %s of %s examples", f"{most:,}", f"{rows:,}")
    position = F.pmod(F.xxhash64(F.lit(_SEED), "site", "query_id"), F.lit(_POSITIONS))
    return frame.where(position < round(most / rows * _POSITIONS))
