"""Digests of dump files by blocks of ids, so that unchanged rows need not be parsed again.

Every dump contains the whole site, and most of its lines are unchanged since the previous dump. Hashing a line takes a
small part of the time of parsing and storing it. Ids grow with time, so new rows are in a few blocks; edits are
scattered, so blocks are small.

Counters, such as page views, change on a large part of the lines every day. A second digest omits them, so that these
lines need not be read either unless a feature group reads counters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.file_probe import Layout
from cqa_spark.corpora.stackexchange.lines import Files, OpenFile, read_lines
from cqa_spark.lake.schemas.accounting import ID_BLOCKS

_BITS = 5
"""Binary logarithm of the number of ids in a block."""

_START = 64
"""Number of leading bytes of a line that are searched for its id."""

_HEAD = 256
"""Number of leading bytes of a line that are searched for counters; dumps write most of them before texts."""

_VALUE = '="[-0-9T:.]+"'
"""The value of a counter."""

_LONGEST_CHARACTER = 4
"""In bytes."""

_CONTENT = ("lines", "digest", "digest_without_counters")


def id_blocks(spark: SparkSession, files: Files, layouts: tuple[Layout, ...]) -> DataFrame:
    """The table ``id_blocks`` of some files.

    Args:
        spark: the session.
        files: files of any kind; empty files and files of other layouts have no blocks.
        layouts: the layouts with one line per row.
    """
    alike: dict[tuple[Layout, tuple[str, ...]], dict[int, OpenFile]] = {}
    for number, each in files.items():
        if each.probe.layout in layouts and each.probe.size:
            alike.setdefault((each.probe.layout, each.file.dump_table.counters), {})[number] = each
    if not alike:
        return ID_BLOCKS.empty(spark)
    hashed = [_hashed_lines(spark, some, layout, counters) for (layout, counters), some in alike.items()]
    # Digests ignore the order of lines and the line separators, which do not change the rows.
    digests = (
        reduce(DataFrame.unionByName, hashed)
        .groupBy("file", "block")
        .agg(
            F.count(F.lit(1)).alias("lines"),
            F.bit_xor("digest").alias("digest"),
            F.bit_xor("digest_without_counters").alias("digest_without_counters"),
        )
    )
    names = [(number, each.file.site, each.file.dump_table.table.name) for number, each in files.items()]
    named = spark.createDataFrame(names, "file int, site string, table_name string")
    return ID_BLOCKS.conform(digests.join(F.broadcast(named), "file").drop("file"))


def compare_blocks(before: DataFrame, now: DataFrame, *, reads_counters: bool) -> DataFrame:
    """Compare two versions of the table ``id_blocks``.

    Args:
        before: the earlier version.
        now: the later version.
        reads_counters: whether a block differs if only counters differ.

    Returns:
        site, table_name, block; the other columns of both versions, ``before_lines``, ``now_lines`` and so on, null if
        the version lacks the block; and differs.
    """
    versions = {"before": before, "now": now}
    rows = reduce(
        DataFrame.unionByName, [frame.withColumn("version", F.lit(version)) for version, frame in versions.items()]
    )
    # Grouped, not joined, because the block of lines without an id is null, which a join would not match.
    compared = rows.groupBy(*ID_BLOCKS.key).agg(
        *[
            F.max(F.when(F.col("version") == version, F.col(name))).alias(f"{version}_{name}")
            for version in versions
            for name in _CONTENT
        ]
    )
    digest = "digest" if reads_counters else "digest_without_counters"
    is_same = [F.col(f"before_{name}").eqNullSafe(F.col(f"now_{name}")) for name in ("lines", digest)]
    return compared.withColumn("differs", ~reduce(and_, is_same))


def stored_blocks(compared: DataFrame) -> DataFrame:
    """The table ``id_blocks`` after the differing blocks were read; others keep the digests of the stored lines.

    Args:
        compared: as ``compare_blocks`` returns it.
    """
    stored = {
        name: F.when(F.col("differs"), F.col(f"now_{name}")).otherwise(F.col(f"before_{name}")) for name in _CONTENT
    }
    there = compared.where("now_lines IS NOT NULL")
    return ID_BLOCKS.conform(there.select(*ID_BLOCKS.key, *[each.alias(name) for name, each in stored.items()]))


def block_of_line(line: str) -> Column:
    """The block of the row in a line; null for lines that do not start like a row."""
    start = f"string({_bytes(line, _START)})"
    row_id = F.expr(f"substring_index(substring_index({start}, '\"', 2), '\"', -1)")
    return block_of_id(F.when(F.ltrim(F.expr(start)).startswith('<row Id="'), row_id))


def block_of_id(row_id: Column) -> Column:
    """The block of an id given as a string; null if it is not a number."""
    return F.shiftright(row_id.cast("bigint"), _BITS)


def _hashed_lines(spark: SparkSession, files: Files, layout: Layout, counters: Sequence[str]) -> DataFrame:
    """The file, block and digests of each line of some files with the same counters.

    Counters are omitted from the first bytes of a line; one that is cut there or follows later is not.
    """
    lines, line = read_lines(spark, files, layout), _without_line_end("value")
    digest = digest_without_counters = F.xxhash64(F.expr(line))
    if counters:
        head = short = F.expr(f"string({_bytes(line, _HEAD)})")
        for counter in counters:  # one by one, because Java searches a literal faster than alternatives
            short = F.regexp_replace(short, f" {counter}{_VALUE}", f" {counter}")
        # A character that is cut at the end of the head is hashed as part of the rest.
        rest = F.xxhash64(F.expr(f"substring({line}, {_HEAD - _LONGEST_CHARACTER})"))
        digest, digest_without_counters = F.xxhash64(head, rest), F.xxhash64(short, rest)
    return lines.select(
        "file",
        block_of_line("value").alias("block"),
        digest.alias("digest"),
        digest_without_counters.alias("digest_without_counters"),
    )


def _without_line_end(line: str) -> str:
    return f"IF(endswith({line}, '\\r'), {_bytes(line, f'octet_length({line}) - 1')}, binary({line}))"


def _bytes(line: str, count: int | str) -> str:
    """SQL expression of the first bytes of a line; a substring would count characters, which is slower."""
    return f"substring(binary({line}), 1, {count})"
