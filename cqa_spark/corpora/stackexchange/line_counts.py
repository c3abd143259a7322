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
    """The metric to observe on lines with ``file`` and ``kind``; ``line_counts`` decodes it.

    A histogram with one bin per value gives exact counts by value; other exact counts cannot be observed. Spark merges
    bins of equal values at their mean, whose last digit may be off. The values are therefore doubles: integers would be
    truncated to one too small.

    Args:
        files: number of files.
    """
    value = (F.col("file") * _KINDS + F.col("kind")).cast("double")
    return F.to_json(F.histogram_numeric(value, F.lit(_KINDS * files + 1)))


def line_counts(observed: str | None) -> LineCounts:
    """Lines by file and kind.

    Args:
        observed: the value of ``observed_line_counts``; None without any line.
    """
    counts: LineCounts = Counter()
    for each in json.loads(observed or "[]"):
        counts[divmod(round(each["x"]), _KINDS)] += round(each["y"])
    return counts


def not_rows(
    files: Sequence[int], lines: LineCounts, looked_at: Mapping[int, tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    """Number of lines, and of lines that are not rows, for every file.

    Args:
        files: the files' numbers.
        lines: counts of the fast path.
        looked_at: numbers of records, and of records that are not rows, for files read by the tolerant path.
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
