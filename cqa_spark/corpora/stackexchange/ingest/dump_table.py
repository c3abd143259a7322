"""One kind of dump file → its table, quarantine and record counts."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.stackexchange.columns import table_rows
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.duplicates import keep_first, repeated_keys
from cqa_spark.corpora.stackexchange.ingest.account import account
from cqa_spark.corpora.stackexchange.ingest.site_tables import SiteTables
from cqa_spark.corpora.stackexchange.line_counts import not_rows
from cqa_spark.corpora.stackexchange.lines import Files
from cqa_spark.corpora.stackexchange.packed import refuse_damaged
from cqa_spark.corpora.stackexchange.table_reader import TableReader
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import QUARANTINE


def read_dump_table(tables: SiteTables, dump: DumpTable, files: Files) -> list[FileAccount]:
    """Read all files of one kind: first by the fast path, then by the tolerant path, then repeated rows.

    Args:
        tables: where the rows go.
        dump: the kind.
        files: its files; none if the dumps lack them, which empties the table for these sites.

    Returns:
        The record counts of each file; stored rows are counted from the tables.
    """
    run = tables.run
    with TableReader(run.lake.spark, dump, files) as reader:
        with refuse_damaged(files):
            tables.write(dump.table, reader.sound_rows())
        lines = reader.lines()
        unclear = reader.needs_closer_look(lines)
        outcomes = _with_origin(reader.closer_look(unclear), files).persist() if unclear else None
        if outcomes is not None:
            _append(run, dump, outcomes)
        repeated = repeated_keys(tables.of_sites(dump.table), dump.table).persist()
        repeats = not repeated.isEmpty()
        if repeats:
            _settle_repeats(run, dump, reader, files, repeated, outcomes)
        looked_at = _looked_at(unclear, outcomes)
        if outcomes is not None:
            outcomes.unpersist()
        repeated.unpersist()
    stored = _by_source(tables.of_sites(dump.table))
    # Nothing else puts a row into quarantine.
    refused = _by_source(tables.of_sites(QUARANTINE)) if unclear or repeats else {}
    counts = not_rows(list(files), lines, looked_at)
    return [
        account(
            dump, each, *counts[number],
            rows_out=stored.get(each.file.path, 0), rows_quarantined=refused.get(each.file.path, 0),
        )
        for number, each in files.items()
    ]  # fmt: skip


def _with_origin(outcomes: DataFrame, files: Files) -> DataFrame:
    named = [(number, each.file.site, each.file.path) for number, each in files.items()]
    known = outcomes.sparkSession.createDataFrame(named, "file int, site string, source_file string")
    return outcomes.join(F.broadcast(known), "file")


def _append(run: Run, dump: DumpTable, outcomes: DataFrame) -> None:
    run.append(dump.table, table_rows(dump, outcomes.where(_is_sound())))
    run.append(QUARANTINE, _quarantine(outcomes))


def _settle_repeats(
    run: Run, dump: DumpTable, reader: TableReader, files: Files, repeated: DataFrame, outcomes: DataFrame | None
) -> None:
    """Replace all rows of the repeated keys by the first of each."""
    copies = [_with_origin(found, files)] if (found := reader.rows_with_ids(repeated)) is not None else []
    if outcomes is not None:
        copies.append(outcomes.where(_is_sound()).join(repeated, list(dump.table.key), "left_semi"))
    both = copies[0] if len(copies) == 1 else copies[0].unionByName(copies[1])
    settled = keep_first(both, dump).persist()
    run.delete(dump.table, repeated)
    _append(run, dump, settled)
    settled.unpersist()


def _quarantine(outcomes: DataFrame) -> DataFrame:
    refused = outcomes.where(F.col("problem").isNotNull())
    return refused.select("site", "source_file", "byte_offset", F.col("problem").alias("reason"), "raw")


def _is_sound() -> Column:
    return F.col("is_row") & F.col("problem").isNull()


def _looked_at(unclear: Iterable[int], outcomes: DataFrame | None) -> dict[int, tuple[int, int]]:
    """Records, and records without a row of their own, of every file read by the tolerant path."""
    counts = dict.fromkeys(unclear, (0, 0))
    if outcomes is not None:
        has_own = (F.col("is_row") | F.col("problem").isNotNull()).cast("int")
        by_file = outcomes.groupBy("file").agg(
            F.sum("records").alias("records"), F.sum(F.col("records") - has_own).alias("without")
        )
        counts |= {row["file"]: (row["records"], row["without"]) for row in by_file.collect()}
    return counts


def _by_source(frame: DataFrame) -> dict[str, int]:
    return {row["source_file"]: row["count"] for row in frame.groupBy("source_file").count().collect()}
