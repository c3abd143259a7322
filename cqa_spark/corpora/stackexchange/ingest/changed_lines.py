"""Reads the lines of a dump that changed since the published run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.stackexchange.columns import table_rows
from cqa_spark.corpora.stackexchange.dump_tables import ROW_ID, DumpTable
from cqa_spark.corpora.stackexchange.fast_path import parse_lines
from cqa_spark.corpora.stackexchange.id_blocks import (
    block_of_id,
    block_of_line,
    compare_blocks,
    id_blocks,
    stored_blocks,
)
from cqa_spark.corpora.stackexchange.ingest.account import account
from cqa_spark.corpora.stackexchange.ingest.site_tables import SiteTables
from cqa_spark.corpora.stackexchange.line_batches import ROW
from cqa_spark.corpora.stackexchange.lines import Files, OpenFile, read_lines
from cqa_spark.corpora.stackexchange.packed import refuse_damaged
from cqa_spark.corpora.stackexchange.table_reader import FAST_LAYOUTS
from cqa_spark.lake.changes import GONE, NEW, changed_rows
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import ID_BLOCKS, INGESTED_FILES
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.spark.persistence import persisted

MOST_CHANGED = 0.5
"""Share of a file's lines in changed blocks above which reading the whole file is faster."""


@dataclass(frozen=True)
class KnownFile:
    """A file that the published run read without problems, and most of whose lines are unchanged.

    Attributes:
        lines: present number of lines.
        not_rows: number of lines that are not rows.
        differing: number of changed blocks.
    """

    lines: int
    not_rows: int
    differing: int


@dataclass(frozen=True)
class KnownFiles:
    """The files and blocks that need not be read again.

    Attributes:
        files: known files by site and table name.
        blocks: changed blocks: site, table_name, block; persisted.
    """

    files: Mapping[tuple[str, str], KnownFile]
    blocks: DataFrame

    def of(self, files: Files) -> Files:
        """The known files among the given ones."""
        return {number: each for number, each in files.items() if _place(each) in self.files}

    def __getitem__(self, file: OpenFile) -> KnownFile:
        """The entry of a file."""
        return self.files[_place(file)]


@contextmanager
def known_files(
    tables: SiteTables, files: Files, *, read_again: bool, reads_counters: bool, small: int
) -> Iterator[KnownFiles]:
    """Compare the digests of the files by blocks of ids with those of the published run, and write them.

    Args:
        tables: tables of the run and of the published run.
        files: all files of the dump.
        read_again: whether to ignore the published run.
        reads_counters: whether a line in which only counters changed has changed.
        small: number of lines in all files below which only files without any change are known.
    """
    spark = tables.run.lake.spark
    read = sorted({each.file.dump_table.table.name for each in files.values()})
    with ExitStack() as held:
        with tables.run.step("lines") as step:
            is_read = F.col("site").isin(tables.sites) & F.col("table_name").isin(read)
            published = tables.published_of_all(ID_BLOCKS)
            before = tables.empty(ID_BLOCKS) if read_again else published.where(is_read)
            now = id_blocks(spark, files, FAST_LAYOUTS)
            both = compare_blocks(before, now, reads_counters=reads_counters)
            (compared,) = held.enter_context(persisted(both))
            with refuse_damaged(files):
                known, step.rows_in, step.rows_out = _known(compared, tables.published_entries(INGESTED_FILES), small)
            tables.run.write(ID_BLOCKS, published.where(~is_read).unionByName(stored_blocks(compared)))
        yield KnownFiles(known, compared.where("differs").select(*ID_BLOCKS.key))


@dataclass(frozen=True)
class Known:
    """The known files of one kind, and their changed lines.

    Attributes:
        dump: the kind.
        files: its files.
        parsed: lines of changed blocks, parsed by the fast path; None if no block changed.
    """

    dump: DumpTable
    files: Files
    parsed: DataFrame | None


def read_changed_lines(
    tables: SiteTables, dumps: Sequence[tuple[DumpTable, Files]], known: KnownFiles
) -> list[FileAccount]:
    """Merge changed rows into the published tables.

    Args:
        tables: the target tables.
        dumps: the kinds, each with its known files.
        known: the known files.

    Returns:
        The record counts of each file. Files with a changed line that is not a plain row, or that repeats an id, are
        omitted and not written; they must be read whole.
    """
    with _parsed(tables.run, dumps, known) as found:
        odd = _odd(found)

        def revise(each: Known) -> list[FileAccount]:
            plain = {
                number: file for number, file in each.files.items() if (each.dump.table.name, file.file.site) not in odd
            }
            return _revise(tables, replace(each, files=plain), known) if plain else []

        return [account for accounts in run_concurrently(revise, found) for account in accounts]


def _place(each: OpenFile) -> tuple[str, str]:
    return each.file.site, each.file.dump_table.table.name


def _known(
    compared: DataFrame, accounts: Sequence[Entry], small: int
) -> tuple[dict[tuple[str, str], KnownFile], int, int]:
    """The known files, the number of lines of all files, and the number of lines to read."""
    outside, differs, lines = F.col("block").isNull(), F.col("differs"), F.col("now_lines")
    by_file = compared.groupBy("site", "table_name").agg(
        _sum(lines).alias("lines"),
        _sum(F.when(outside, lines)).alias("not_rows"),
        _sum(F.when(differs, lines)).alias("differing_lines"),
        F.count_if(differs).alias("differing"),
        (F.count("before_lines") > 0).alias("was_read"),
        F.max(outside & differs).alias("differs_outside"),
    )
    # Rows whose first attribute is not the id are outside all blocks; they show as more such lines than not_rows.
    clean = {(each["site"], each["table_name"], each["not_rows"]) for each in accounts if not each["rows_quarantined"]}
    rows, known = by_file.collect(), {}
    all_lines = sum(row["lines"] for row in rows)
    for row in rows:
        is_valid = row["was_read"] and not row["differs_outside"]
        few = row["differing_lines"] <= (MOST_CHANGED * row["lines"] if all_lines >= small else 0)
        if is_valid and few and (row["site"], row["table_name"], row["not_rows"]) in clean:
            known[row["site"], row["table_name"]] = KnownFile(row["lines"], row["not_rows"], row["differing"])
    to_read = sum(row["differing_lines"] if (row["site"], row["table_name"]) in known else row["lines"] for row in rows)
    return known, all_lines, to_read


def _sum(lines: Column) -> Column:
    return F.coalesce(F.sum(lines), F.lit(0))


@contextmanager
def _parsed(run: Run, dumps: Sequence[tuple[DumpTable, Files]], known: KnownFiles) -> Iterator[list[Known]]:
    """The lines of changed blocks, persisted until the block ends."""
    differing = [
        place for place, (_, files) in enumerate(dumps) if any(known[each].differing for each in files.values())
    ]
    with persisted(*(_lines(run, *dumps[place], known.blocks) for place in differing)) as lines:
        parsed = dict(zip(differing, lines, strict=True))
        yield [Known(dump, files, parsed.get(place)) for place, (dump, files) in enumerate(dumps)]


def _lines(run: Run, dump: DumpTable, files: Files, blocks: DataFrame) -> DataFrame:
    wanted = F.broadcast(blocks.where(F.col("table_name") == dump.table.name).select("site", "block"))
    found = []
    for layout in FAST_LAYOUTS:
        of_layout = {number: each for number, each in files.items() if each.probe.layout is layout}
        if of_layout:
            lines = read_lines(run.lake.spark, of_layout, layout).withColumn("block", block_of_line("value"))
            found.append(parse_lines(lines.join(wanted, ["site", "block"], "left_semi").drop("block"), dump))
    return reduce(DataFrame.unionByName, found)


def _odd(found: Sequence[Known]) -> set[tuple[str, str]]:
    """Tables and sites with a line that is not a plain row or repeats an id; one query for all files."""
    sides = [
        each.parsed.select(
            F.lit(each.dump.table.name).alias("table_name"),
            "site",
            F.col(f"row.{each.dump.attributes[ROW_ID]}").alias("id"),
            (F.col("kind") != ROW).alias("is_odd"),
        )
        for each in found
        if each.parsed is not None
    ]
    if not sides:
        return set()
    by_id = reduce(DataFrame.unionByName, sides).groupBy("table_name", "site", "id")
    odd = by_id.agg(F.max("is_odd").alias("is_odd"), F.count("*").alias("rows")).where("is_odd or rows > 1")
    return {(row["table_name"], row["site"]) for row in odd.select("table_name", "site").distinct().collect()}


def _revise(tables: SiteTables, each: Known, known: KnownFiles) -> list[FileAccount]:
    """Write the changed rows of changed blocks, most of whose rows may be unchanged."""
    dump, base = each.dump, tables.base[each.dump.table.name]
    with tables.run.step(dump.table.name) as step:
        if each.parsed is None:
            tables.run.adopt(dump.table, base)
        else:
            _merge(tables, dump, each.parsed, [file.file.site for file in each.files.values()], known.blocks)
        stored = tables.run.state(dump.table).rows_by_site()
        accounts = [
            account(dump, file, known[file].lines, known[file].not_rows, rows_out=stored[file.file.site])
            for file in each.files.values()
        ]
        step.rows_in = step.rows_out = sum(found.rows_in for found in accounts)
    return accounts


def _merge(tables: SiteTables, dump: DumpTable, parsed: DataFrame, sites: Sequence[str], blocks: DataFrame) -> None:
    is_of_sites, key = F.col("site").isin(*sites), list(dump.table.key)
    rows = table_rows(dump, parsed.where((F.col("kind") == ROW) & is_of_sites).select("*", "row.*"))
    wanted = blocks.where((F.col("table_name") == dump.table.name) & is_of_sites).select("site", "block")
    stored = tables.published(dump.table).withColumn("block", block_of_id(F.col(dump.attributes[ROW_ID])))
    before = stored.join(F.broadcast(wanted), ["site", "block"], "left_semi").drop("block")
    with persisted(changed_rows(dump.table, before, rows).select(*key, "change").distinct()) as (changed,):
        stale, fresh = (changed.where(F.col("change") != other).select(*key) for other in (NEW, GONE))
        base = tables.base[dump.table.name]
        tables.run.merge_rows(dump.table, rows.join(fresh, key, "left_semi"), stale=stale, base=base)
