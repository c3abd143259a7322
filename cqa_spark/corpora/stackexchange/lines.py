"""Reads files as text, row by row, with the file of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.file_probe import FileProbe, Layout
from cqa_spark.spark.file_paths import literal_path

_FILES = T.StructType(
    [
        T.StructField("uri", T.StringType()),
        T.StructField("file", T.IntegerType()),
        T.StructField("site", T.StringType()),
        T.StructField("source_file", T.StringType()),
    ]
)


@dataclass(frozen=True)
class OpenFile:
    """A file of a dump, with the result of probing it."""

    file: DumpFile
    probe: FileProbe


Files = Mapping[int, OpenFile]
"""Files of one table and one layout, by number."""


def read_lines(spark: SparkSession, files: Files, layout: Layout) -> DataFrame:
    """Read the text between separators.

    Small files share a task; large ones are split over several.

    Args:
        spark: the session.
        files: the files to read.
        layout: row layout, with the separator.

    Returns:
        file (int), site, source_file, block_start (byte at which the task's part of the file starts), value (string
        without the separator; may contain invalid UTF-8). Rows of a block are in one partition, in file order.
    """
    paths = [literal_path(each.file.path) for each in files.values()]
    text = spark.read.option("lineSep", layout.value).text(paths)
    # Local addresses have one slash in the metadata and three elsewhere; other addresses do not differ.
    named = [
        (uri, number, each.file.site, each.file.path)
        for number, each in files.items()
        for uri in {each.probe.uri, each.probe.uri.replace("file:///", "file:/", 1)}
    ]
    known = F.broadcast(spark.createDataFrame(named, _FILES))
    lines = text.select(
        F.col("_metadata.file_path").alias("uri"), F.col("_metadata.file_block_start").alias("block_start"), "value"
    )
    return lines.join(known, "uri").select("file", "site", "source_file", "block_start", "value")
