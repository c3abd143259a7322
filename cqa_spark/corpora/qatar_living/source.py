"""Reads files as text, split at the closing tag of a thread, and counts records independently of the parser."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.content_check import REMEDY, SHOWN_CHARACTERS, names_seen
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.qatar_living.layout import ORIGINAL, WRAPPER, Layout
from cqa_spark.errors import InputError

SHOWN_LINES = 20

Files = Mapping[int, InputFile]
"""Input files by their position in the user's list."""

BYTE_ORDER_MARK = 3


def detect_layout(spark: SparkSession, file: InputFile, layouts: Sequence[Layout]) -> Layout:
    """Detect the layout by the first element that marks one; threads without such an element are of the last.

    Args:
        spark: the session.
        file: the file.
        layouts: the possible layouts.

    Raises:
        InputError: the file does not exist, or contains no thread.
    """
    lines = _open(spark, file)
    marked = lines.where(F.col("value").rlike("|".join(_tag(layout) for layout in layouts))).head()
    if marked is not None:
        return next(layout for layout in layouts if re.search(_tag(layout), marked.value))
    if lines.where(F.col("value").rlike(layouts[-1].opening)).head() is not None:
        return layouts[-1]
    beginning = lines.select(F.substring("value", 1, SHOWN_CHARACTERS).alias("value")).take(SHOWN_LINES)
    raise InputError(
        f"{file.path} contains no thread"
        + "".join(f"\n    expected: {layout.about}" for layout in layouts)
        + f"\n    seen: {names_seen(' '.join(row.value for row in beginning))}",
        REMEDY,
    )


def _tag(layout: Layout) -> str:
    return rf"<{layout.mark}[\s>]"


def read_chunks(spark: SparkSession, files: Files, layout: Layout) -> DataFrame:
    """Read the text between closing tags.

    Returns:
        file (int, position in the user's list), file_size and block_start (bytes), chunk (string, may contain invalid
        UTF-8). The rows of one block of a file are in one partition, in file order.
    """
    text = spark.read.option("lineSep", layout.closing).text([file.path for file in files.values()])
    return text.select(
        _place(spark, files).alias("file"),
        F.col("_metadata.file_size").alias("file_size"),
        F.col("_metadata.file_block_start").alias("block_start"),
        F.col("value").alias("chunk"),
    )


def _place(spark: SparkSession, files: Files) -> Column:
    pairs = [(F.lit(uri), F.lit(place)) for place, file in files.items() for uri in _open(spark, file).inputFiles()]
    places = F.create_map(*chain.from_iterable((_one_slash(uri), place) for uri, place in pairs))
    return places[_one_slash(F.col("_metadata.file_path"))]


def _one_slash(uri: Column) -> Column:
    """Normalise local addresses, which Spark writes with one or with three slashes."""
    return F.regexp_replace(uri, "^file:/+", "file:/")


def _open(spark: SparkSession, file: InputFile) -> DataFrame:
    try:
        return spark.read.text(file.path)
    except AnalysisException as error:
        raise InputError(
            f"cannot read {file.path}: {error.getMessageParameters() or error}",
            "check the address and that the job may read it",
        ) from error


def count_blocks(chunks: DataFrame, layout: Layout) -> DataFrame:
    """Count the records of the blocks that Spark splits the files into.

    Args:
        chunks: as ``read_chunks`` returns them.
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
