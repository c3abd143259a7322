"""Counts the lines of each kind by file, while the rows are written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.line_batches import NOT_A_ROW, ROW, SUSPECT

LineCounts = Counter[tuple[int, int]]
"""Lines by file and kind."""

_KINDS = len((ROW, NOT_A_ROW, SUSPECT))


def observed_line_counts(files: int) -> Column:
    """What to observe of lines with ``file`` and ``kind``; ``line_counts`` reads it.

    A histogram with a bin for every value is an exact count by value, and the only one that can be observed. Bins of
    equal values are put together at their mean, which may differ in the last digit: of whole numbers Spark would give
    the whole part, one too small.

    Args:
        files: number of files.
    """
    value = (F.col("file") * _KINDS + F.col("kind")).cast("double")
    return F.to_json(F.histogram_numeric(value, F.lit(_KINDS * files + 1)))


def line_counts(observed: str | None) -> LineCounts:
    """Lines by file and kind.

    Args:
        observed: the value of ``observed_line_counts``; None where there was no line.
    """
    counts: LineCounts = Counter()
    for each in json.loads(observed or "[]"):
        counts[divmod(round(each["x"]), _KINDS)] += round(each["y"])
    return counts


def not_rows(
    files: Sequence[int], lines: LineCounts, looked_at: Mapping[int, tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    """Lines, and lines that are no rows, of every file.

    Args:
        files: the files' numbers.
        lines: counts of the fast path.
        looked_at: records and records without a row of their own, of the files read by the tolerant path.
    """
    counts = {}
    for file in files:
        sound = lines[file, ROW]
        if file in looked_at:
            records, without = looked_at[file]
            counts[file] = (sound + records, without)
        else:
            counts[file] = (sound + lines[file, NOT_A_ROW], lines[file, NOT_A_ROW])
    return counts
