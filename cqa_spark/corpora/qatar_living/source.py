"""Reads files as text, split at the closing tag of a thread, so that many tasks share a large file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.qatar_living.layout import LAYOUT_2016, LAYOUTS, Layout
from cqa_spark.errors import InputError

Files = Mapping[int, InputFile]
"""Input files by their position in the user's list."""


def detect_layout(spark: SparkSession, file: InputFile) -> Layout:
    """Detect the layout by the first opening tag; a file without one is read as the layout of 2016, and refused.

    Raises:
        InputError: the file does not exist.
    """
    openings = "|".join(layout.opening for layout in LAYOUTS)
    first = _open(spark, file).where(F.col("value").rlike(openings)).head()
    if first is not None:
        for layout in LAYOUTS:
            if re.search(layout.opening, first.value):
                return layout
    return LAYOUT_2016


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
