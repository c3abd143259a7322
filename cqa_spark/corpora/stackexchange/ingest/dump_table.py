"""Dump files → their tables, quarantine and record counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.stackexchange.columns import table_rows
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.duplicates import keep_first, repeated_keys
from cqa_spark.corpora.stackexchange.ingest.account import account
from cqa_spark.corpora.stackexchange.line_counts import not_rows
from cqa_spark.corpora.stackexchange.lines import Files
from cqa_spark.corpora.stackexchange.packed import refuse_damaged
from cqa_spark.corpora.stackexchange.table_reader import TableReader
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.table_files import TableFiles
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.spark.persistence import persisted

MOST_BROADCAST = 1_000_000
"""Repeated ids up to which they are broadcast, some 30 MB. Of more, all rows are read as they are written."""


@dataclass
class Reading:
    """The reading of all files of one kind.

    Attributes:
        tables: the target tables.
        reader: reads the files; has no files if the dumps lack them, which empties the table for these sites.
        rows: files of the rows that were read, until all tables are replaced together.
        outcomes: results of the tolerant path for lines that the fast path cannot read; None without such lines.
        has_refused: whether the tolerant path refused a record.
        counts: numbers of lines and of lines that are not rows, by file.
    """

    tables: SiteTables
    reader: TableReader
    rows: TableFiles = field(init=False)
    outcomes: DataFrame | None = field(default=None, init=False)
    has_refused: bool = field(default=False, init=False)
    counts: Mapping[int, tuple[int, int]] = field(default_factory=dict, init=False)

    @property
    def dump(self) -> DumpTable:
        """The kind."""
        return self.reader.dump

    @property
    def files(self) -> Files:
        """The files."""
        return self.reader.files

    def stored(self) -> DataFrame:
        """The rows that were read."""
        return self.tables.run.lake.read(self.dump.table, self.rows)


def read_dump_tables(tables: SiteTables, dumps: Sequence[tuple[DumpTable, Files]]) -> list[FileAccount]:
    """Read all files of the given kinds: by the fast path, then by the tolerant path; then resolve repeated rows.

    Args:
        tables: the tables of the sites.
        dumps: the kinds, each with its files.

    Returns:
        The record counts of each file; stored rows are counted as they are written.
    """
    with ExitStack() as held:
        readings = [
            Reading(tables, held.enter_context(TableReader(tables.run.lake.spark, dump, files)))
            for dump, files in dumps
        ]
        run_concurrently(_read, readings)
        for each in readings:
            if each.outcomes is not None:
                held.callback(each.outcomes.unpersist)
        refused = [_quarantine(each.outcomes) for each in readings if each.outcomes is not None and each.has_refused]
        repeated = _with_repeats(readings)
        refused += [_settle_repeats(each, held) for each in readings if each.dump.table.name in repeated]
        if refused:
            tables.add(QUARANTINE, reduce(DataFrame.unionByName, refused))
        for each in readings:
            each.tables.put(each.dump.table, each.rows)
        # Rows are quarantined only here.
        quarantined = _by_source(tables.of_sites(QUARANTINE)) if refused else {}
        return [account for each in readings for account in _accounts(each, quarantined)]


def _read(each: Reading) -> None:
    """Write the rows of the fast path to files, then those of the tolerant path."""
    reader = each.reader
    with each.tables.run.step(each.dump.table.name) as step:
        with refuse_damaged(each.files):
            # A task reads files of few sites, and texts are not worth a shuffle.
            each.rows = each.tables.run.new_files(each.dump.table, reader.sound_rows())
        lines = reader.lines()
        unclear = reader.needs_closer_look(lines)
        if unclear:
            each.outcomes = _with_origin(reader.closer_look(unclear), each.files).persist()
            sound = table_rows(each.dump, each.outcomes.where(_is_sound()))
            each.rows = each.rows.united(each.tables.run.new_files(each.dump.table, sound))
        looked_at, each.has_refused = _looked_at(unclear, each.outcomes)
        each.counts = not_rows(list(each.files), lines, looked_at)
        step.rows_in = sum(in_all - others for in_all, others in each.counts.values())
        step.rows_out = sum(_rows_by_site(each)[site] for site in each.tables.sites)
        step.rows_quarantined = step.rows_in - step.rows_out


def _accounts(each: Reading, quarantined: Mapping[str, int]) -> list[FileAccount]:
    stored = _rows_by_site(each)
    return [
        account(
            each.dump, file, *each.counts[number],
            rows_out=stored[file.file.site], rows_quarantined=quarantined.get(file.file.path, 0),
        )
        for number, file in each.files.items()
    ]  # fmt: skip


def _rows_by_site(each: Reading) -> Counter[str]:
    """Number of stored rows by site, which has one file of each kind."""
    return each.rows.rows_by_site()


def _with_repeats(readings: Sequence[Reading]) -> set[str]:
    """The tables with repeated ids; one query for all tables."""
    sides = [
        each.stored().select(
            F.lit(each.dump.table.name).alias("table_name"), "site", F.col(each.dump.table.key[-1]).alias("id")
        )
        for each in readings
        if each.files
    ]
    if not sides:
        return set()
    by_id = reduce(DataFrame.unionByName, sides).groupBy("table_name", "site", "id")
    repeated = by_id.agg(F.count("*").alias("rows")).where("rows > 1")
    return {row["table_name"] for row in repeated.select("table_name").distinct().collect()}


def _with_origin(outcomes: DataFrame, files: Files) -> DataFrame:
    named = [(number, each.file.site, each.file.path) for number, each in files.items()]
    known = outcomes.sparkSession.createDataFrame(named, "file int, site string, source_file string")
    return outcomes.join(F.broadcast(known), "file")


def _settle_repeats(each: Reading, held: ExitStack) -> DataFrame:
    """Replace all rows with repeated keys by the first of each; return the quarantined ones."""
    dump, key = each.dump, list(each.dump.table.key)
    (repeated,) = held.enter_context(persisted(repeated_keys(each.stored(), dump.table)))
    few = repeated.limit(MOST_BROADCAST + 1).count() <= MOST_BROADCAST
    found = each.reader.rows_as_written(repeated if few else None)
    rows = [_with_origin(found, each.files)] if found is not None else []
    if each.outcomes is not None:
        rows.append(each.outcomes.where(_is_sound()))
    copies = reduce(DataFrame.unionByName, rows).join(repeated, key, "left_semi")
    (settled,) = held.enter_context(persisted(keep_first(copies, dump)))
    others = each.stored().join(repeated, key, "left_anti")
    first = table_rows(dump, settled.where(_is_sound()))
    each.rows = each.tables.run.new_files(dump.table, others.unionByName(first))
    return _quarantine(settled)


def _quarantine(outcomes: DataFrame) -> DataFrame:
    refused = outcomes.where(F.col("problem").isNotNull())
    return refused.select("site", "source_file", "byte_offset", F.col("problem").alias("reason"), "raw")


def _is_sound() -> Column:
    return F.col("is_row") & F.col("problem").isNull()


def _looked_at(unclear: Iterable[int], outcomes: DataFrame | None) -> tuple[dict[int, tuple[int, int]], bool]:
    """Number of records, and of records that are not rows, for every file read by the tolerant path.

    Returns:
        The numbers by file, and whether a record was refused.
    """
    counts, has_refused = dict.fromkeys(unclear, (0, 0)), False
    if outcomes is not None:
        is_refused = F.col("problem").isNotNull()
        has_own = (F.col("is_row") | is_refused).cast("int")
        by_file = outcomes.groupBy("file").agg(
            F.sum("records").alias("records"),
            F.sum(F.col("records") - has_own).alias("without"),
            F.max(is_refused).alias("has_refused"),
        )
        rows = by_file.collect()
        counts |= {row["file"]: (row["records"], row["without"]) for row in rows}
        has_refused = any(row["has_refused"] for row in rows)
    return counts, has_refused


def _by_source(frame: DataFrame) -> dict[str, int]:
    return {row["source_file"]: row["count"] for row in frame.groupBy("source_file").count().collect()}
