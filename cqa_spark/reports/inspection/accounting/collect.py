"""Counts quarantined records, orphans and the records of each input file."""

from __future__ import annotations

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.reports.inspection.by_site import collected, first_rows

REASONS = 20
FILES = 20
RAW_CHARACTERS = 300

_SUMS = ("rows_out", "rows_quarantined", "not_rows")


def collect_quarantined(quarantine: DataFrame, ingested_files: DataFrame | None) -> dict[str, list[Row]]:
    """A row per site and table: ``table`` (null for files that fill several tables), ``rows``."""
    by_file = quarantine.groupBy("site", "source_file").agg(F.count(F.lit(1)).alias("rows"))
    if ingested_files is None:
        return collected(by_file.groupBy("site").agg(F.sum("rows").alias("rows"), F.lit(None).alias("table")))
    filled = ingested_files.select("site", "source_file", F.col("table_name").alias("table"))
    known = by_file.join(filled, ["site", "source_file"], "left")
    return collected(known.groupBy("site", "table").agg(F.sum("rows").alias("rows")))


def collect_refusals(quarantine: DataFrame) -> dict[str, list[Row]]:
    """A row per site and reason: ``reason``, ``rows``, ``example``; most frequent first.

    Reasons may contain ids or offsets, so they are grouped without their numbers.
    """
    place = F.struct("source_file", "byte_offset")
    raw = F.substring("raw", 1, RAW_CHARACTERS).alias("raw")
    example = F.struct("source_file", "byte_offset", F.col("reason").alias("example_reason"), raw)
    counted = quarantine.groupBy("site", F.regexp_replace("reason", r"\d+", "…").alias("kind")).agg(
        F.count(F.lit(1)).alias("rows"),
        F.when(F.min("reason") == F.max("reason"), F.min("reason")).alias("only_reason"),
        F.min_by(example, place).alias("example"),
    )
    named = counted.select("site", F.coalesce("only_reason", "kind").alias("reason"), "rows", "example")
    order = (F.desc("rows"), "reason")
    return collected(first_rows(named, REASONS, *order).orderBy("site", *order))


def collect_orphans(orphans: DataFrame) -> dict[str, list[Row]]:
    """A row per site and reference: ``table``, ``reference``, ``missing_in``, ``rows``; most rows first."""
    named = orphans.withColumnRenamed("table_name", "table")
    return collected(named.orderBy("site", F.desc("rows"), "table", "reference"))


def collect_file_totals(ingested_files: DataFrame) -> dict[str, list[Row]]:
    """One row per site: ``files``, ``incomplete``, ``lines`` and the sums of rows."""
    every_line_counted = F.count("lines") == F.count(F.lit(1))
    return collected(
        ingested_files.groupBy("site").agg(
            F.count(F.lit(1)).alias("files"),
            F.count_if(~F.col("is_complete")).alias("incomplete"),
            F.when(every_line_counted, F.sum("lines")).alias("lines"),
            *[F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _SUMS],
        )
    )


def collect_files(ingested_files: DataFrame) -> dict[str, list[Row]]:
    """Files of each site: truncated ones first, then those with the most quarantined records, then the largest."""
    order = (F.asc_nulls_last("is_complete"), F.desc("rows_quarantined"), F.desc("rows_in"), "source_file")
    return collected(first_rows(ingested_files, FILES, *order).orderBy("site", *order))
