"""Counts bytes and records per block of a file with native expressions, independently of the parser."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.qatar_living.layout import ORIGINAL, WRAPPER, Layout

BYTE_ORDER_MARK = 3


def count_blocks(chunks: DataFrame, layout: Layout) -> DataFrame:
    """Count the records of the blocks that Spark splits the files into.

    Args:
        chunks: as ``source.read_chunks`` returns them.
        layout: the files' layout.

    Returns:
        file, block_start, file_size (bytes), start (bytes of the file before the block's first chunk), records (number
        in the block).
    """
    blocks = chunks.groupBy("file", "block_start").agg(
        F.max("file_size").alias("file_size"),
        F.sum(F.octet_length("chunk") + len(layout.closing)).alias("bytes"),
        F.sum(_records(F.col("chunk"), layout)).alias("records"),
    )
    by_file = Window.partitionBy("file")
    earlier = by_file.orderBy("block_start").rowsBetween(Window.unboundedPreceding, -1)
    whole = by_file.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    missing = F.col("file_size") - F.sum("bytes").over(whole)
    start = _dropped_mark(missing, layout) + F.coalesce(F.sum("bytes").over(earlier), F.lit(0))
    return blocks.select("file", "block_start", "file_size", start.alias("start"), "records")


def _dropped_mark(missing: Column, layout: Layout) -> Column:
    """Bytes of the byte order mark, which Spark's text reader drops; the last chunk may lack its closing tag."""
    marked = missing.isin(BYTE_ORDER_MARK, BYTE_ORDER_MARK - len(layout.closing))
    return F.when(marked, BYTE_ORDER_MARK).otherwise(0)


def _records(chunk: Column, layout: Layout) -> Column:
    pieces = F.split(chunk, layout.opening)
    openings = F.size(pieces) - 1
    outside = F.when(openings == 0, chunk).otherwise(_before_original(pieces[0]))
    has_text = F.trim(F.regexp_replace(F.regexp_replace(outside, WRAPPER, "$1"), r"\s", "")) != ""
    return openings + has_text.cast("int")


def _before_original(text: Column) -> Column:
    """The text before the thread's original question; all of it if there is none."""
    original = F.substring_index(text, ORIGINAL, -1)
    before = text.substr(F.lit(1), F.length(text) - F.length(original) - len(ORIGINAL))
    return F.when(F.contains(text, F.lit(ORIGINAL)), before).otherwise(text)
