"""Samples whole queries, for training on fewer rows."""

import logging

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_log = logging.getLogger(__name__)
_SEED = 23
_POSITIONS = 1 << 32


def sample_queries(frame: DataFrame, most: int, rows: int) -> DataFrame:
    """Keep about ``most`` rows, by a hash of their query; independent of the partitioning.

    Args:
        frame: examples.
        most: number of rows to keep.
        rows: number of rows of the DataFrame.
    """
    if rows <= most:
        return frame
    _log.warning("learning from a sample of queries: about %s of %s examples", f"{most:,}", f"{rows:,}")
    position = F.pmod(F.xxhash64(F.lit(_SEED), "site", "query_id"), F.lit(_POSITIONS))
    return frame.where(position < round(most / rows * _POSITIONS))
