"""Digests of dump files by blocks of ids, so that unchanged rows need not be parsed again.

Every dump contains the whole site, and most of its lines are unchanged since the previous dump. Hashing a line takes a
small part of the time of parsing and storing it. Ids grow with time, so new rows are in a few blocks.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.file_probe import Layout
from cqa_spark.corpora.stackexchange.lines import Files, read_lines
from cqa_spark.lake.schemas.accounting import ID_BLOCKS

_BITS = 8
"""Binary logarithm of the number of ids in a block."""

_ID = r'^\s*<row Id="(-?\d{1,18})"'
_START = 64
"""Number of leading bytes of a line that are searched for its id."""


def id_blocks(spark: SparkSession, files: Files, layouts: tuple[Layout, ...]) -> DataFrame:
    """The table ``id_blocks`` of some files.

    Args:
        spark: the session.
        files: files of any kind; empty files and files of other layouts have no blocks.
        layouts: the layouts with one line per row.
    """
    found = [_digests(spark, some, layout) for layout in layouts if (some := _of_layout(files, layout))]
    return ID_BLOCKS.conform(reduce(DataFrame.unionByName, found, ID_BLOCKS.empty(spark)))


def compare_blocks(before: DataFrame, now: DataFrame) -> DataFrame:
    """Compare two versions of the table ``id_blocks``.

    Returns:
        site, table_name, block, ``before`` and ``now`` (each a struct of lines and digest, null if the version lacks
        the block), and differs.
    """
    content = F.struct("lines", "digest")
    nothing = F.lit(None).cast(now.select(content.alias("content")).schema["content"].dataType)
    sides = (
        before.select(*ID_BLOCKS.key, content.alias("before"), nothing.alias("now")),
        now.select(*ID_BLOCKS.key, nothing.alias("before"), content.alias("now")),
    )
    # Grouped, not joined, because the block of lines without an id is null, which a join would not match.
    both = reduce(DataFrame.unionByName, sides).groupBy(*ID_BLOCKS.key)
    versions = both.agg(F.max("before").alias("before"), F.max("now").alias("now"))
    return versions.withColumn("differs", ~F.col("before").eqNullSafe(F.col("now")))


def block_of_line(line: str) -> Column:
    """The block of the row in a line; null for lines that do not start like a row."""
    return block_of_id(F.regexp_extract(F.expr(f"string({_bytes(line, _START)})"), _ID, 1))


def block_of_id(row_id: Column) -> Column:
    """The block of an id given as a string; null if it is not a number."""
    return F.shiftright(row_id.cast("bigint"), _BITS)


def _digests(spark: SparkSession, files: Files, layout: Layout) -> DataFrame:
    """Digests that ignore the order of lines and the line separators, which do not change the rows."""
    tables = [(number, each.file.dump_table.table.name) for number, each in files.items()]
    named = F.broadcast(spark.createDataFrame(tables, "file int, table_name string"))
    lines = read_lines(spark, files, layout).join(named, "file").withColumn("block", block_of_line("value"))
    digest = F.bit_xor(F.xxhash64(_without_line_end("value"))).alias("digest")
    return lines.groupBy(*ID_BLOCKS.key).agg(F.count(F.lit(1)).alias("lines"), digest)


def _without_line_end(line: str) -> Column:
    return F.expr(f"IF(endswith({line}, '\\r'), {_bytes(line, f'octet_length({line}) - 1')}, binary({line}))")


def _bytes(line: str, count: int | str) -> str:
    """SQL expression of the first bytes of a line; a substring would count characters, which is slower."""
    return f"substring(binary({line}), 1, {count})"


def _of_layout(files: Files, layout: Layout) -> Files:
    return {number: each for number, each in files.items() if each.probe.layout is layout and each.probe.size}
