"""Resolves repeated ids: the first row, in the order of files and bytes, is kept."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.lake.table import Table


def repeated_keys(rows: DataFrame, table: Table) -> DataFrame:
    """Keys shared by several rows: the columns of the table's key."""
    return rows.groupBy(*table.key).count().where(F.col("count") > 1).select(*table.key)


def keep_first(copies: DataFrame, dump: DumpTable) -> DataFrame:
    """Keep the first of several rows with the same id.

    Args:
        copies: these rows as ``tolerant_path.parse_records`` returns them, with site and source_file.
        dump: the kind of rows.

    Returns:
        The rows, with ``problem`` set on all but the first; earlier problems are kept.
    """
    by_key = Window.partitionBy(*dump.table.key).orderBy("file", "byte_offset")
    content = F.struct(*dump.attributes.values(), F.to_json("unknown_attributes").alias("unknown"))
    first = F.first(F.struct("source_file", "byte_offset", content.alias("content"))).over(by_key)
    named = copies.select("*", first.alias("first"), content.alias("content"))
    is_first = (F.col("first.source_file") == F.col("source_file")) & (
        F.col("first.byte_offset") == F.col("byte_offset")
    )
    same = F.when(F.col("first.content").eqNullSafe(F.col("content")), "the same").otherwise("another")
    row_id = dump.table.key[-1]
    text = F.format_string(
        "%s row has Id %s already: %s, byte %d", same, row_id, "first.source_file", F.col("first.byte_offset")
    )
    return named.withColumn("problem", F.coalesce("problem", F.when(~is_first, text))).drop("first", "content")
