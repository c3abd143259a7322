"""Reads the lines of a dump that changed since the published run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.stackexchange.columns import table_rows
from cqa_spark.corpora.stackexchange.dump_tables import ROW_ID, DumpTable
from cqa_spark.corpora.stackexchange.duplicates import repeated_keys
from cqa_spark.corpora.stackexchange.fast_path import parse_lines
from cqa_spark.corpora.stackexchange.id_blocks import block_of_id, block_of_line, compare_blocks, id_blocks
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
from cqa_spark.lake.sites import sites_of

MOST_CHANGED = 0.5
"""Share of a file's lines in blocks that differ, above which the whole file is read: that takes less time."""


@dataclass(frozen=True)
class KnownFile:
    """A file that the published run read without problems, and most of whose lines are unchanged.

    Attributes:
        lines: lines of the file now.
        not_rows: those that are no rows.
        differing: blocks that differ.
    """

    lines: int
    not_rows: int
    differing: int


@dataclass(frozen=True)
class KnownFiles:
    """The files and blocks that need not be read again.

    Attributes:
        files: by site and table name.
        blocks: those that differ: site, table_name, block; held.
    """

    files: Mapping[tuple[str, str], KnownFile]
    blocks: DataFrame

    def of(self, files: Files) -> Files:
        """Those files that are known."""
        return {number: each for number, each in files.items() if _place(each) in self.files}

    def __getitem__(self, file: OpenFile) -> KnownFile:
        """What is known of a file."""
        return self.files[_place(file)]


@contextmanager
def known_files(tables: SiteTables, files: Files, *, read_again: bool) -> Iterator[KnownFiles]:
    """Write the digests of the files by blocks of ids, and compare them with those of the published run.

    Args:
        tables: those of the run, and the published ones.
        files: all files of the dump.
        read_again: whether nothing that was published counts.
    """
    spark = tables.run.lake.spark
    read = sorted({each.file.dump_table.table.name for each in files.values()})
    with tables.run.step("lines") as step:
        others = tables.published(ID_BLOCKS).where(~F.col("table_name").isin(read))
        with refuse_damaged(files):
            tables.write(ID_BLOCKS, others.unionByName(id_blocks(spark, files, FAST_LAYOUTS)))
        now = tables.of_sites(ID_BLOCKS).where(F.col("table_name").isin(read))
        before = tables.empty(ID_BLOCKS) if read_again else tables.published(ID_BLOCKS)
        compared = compare_blocks(before.where(F.col("table_name").isin(read)), now).persist()
        known, step.rows_in, step.rows_out = _known(compared, tables.published_entries(INGESTED_FILES))
    try:
        yield KnownFiles(known, compared.where("differs").select(*ID_BLOCKS.key))
    finally:
        compared.unpersist()


def read_changed_lines(tables: SiteTables, dump: DumpTable, files: Files, known: KnownFiles) -> list[FileAccount]:
    """Put the rows that changed into the published table of one kind.

    Args:
        tables: where the rows go.
        dump: the kind.
        files: its files, all of them known.
        known: what is known of them.

    Returns:
        The record counts of each file. A file of which a changed line is no plain row, or repeats an id, is left out,
        and nothing of it written: it has to be read whole.
    """
    plain = files
    if any(known[each].differing for each in files.values()):
        parsed = _parsed(tables.run, dump, files, known.blocks).persist()
        rows = table_rows(dump, parsed.where(F.col("kind") == ROW).select("*", "row.*"))
        odd = sites_of(parsed.where(F.col("kind") != ROW)) | sites_of(repeated_keys(rows, dump.table))
        plain = {number: each for number, each in files.items() if each.file.site not in odd}
        if plain:
            of_plain = F.col("site").isin([each.file.site for each in plain.values()])
            _revise(tables, dump, rows.where(of_plain), known.blocks.where(of_plain))
        parsed.unpersist()
    else:
        tables.run.adopt(dump.table, tables.base[dump.table.name])
    stored = tables.of_sites(dump.table).groupBy("site").count().collect() if plain else []
    rows_of = {row["site"]: row["count"] for row in stored}
    return [
        account(dump, each, known[each].lines, known[each].not_rows, rows_out=rows_of.get(each.file.site, 0))
        for each in plain.values()
    ]


def _place(each: OpenFile) -> tuple[str, str]:
    return each.file.site, each.file.dump_table.table.name


def _known(compared: DataFrame, accounts: Sequence[Entry]) -> tuple[dict[tuple[str, str], KnownFile], int, int]:
    """The known files, the lines of all files, and how many of them have to be read."""
    outside, differs, lines = F.col("block").isNull(), F.col("differs"), F.col("now.lines")
    by_file = compared.groupBy("site", "table_name").agg(
        _sum(lines).alias("lines"),
        _sum(F.when(outside, lines)).alias("not_rows"),
        _sum(F.when(differs, lines)).alias("differing_lines"),
        F.count_if(differs).alias("differing"),
        (F.count("before") > 0).alias("was_read"),
        F.max(outside & differs).alias("differs_outside"),
    )
    # A row whose first attribute is not its id is outside all blocks: then there are more such lines than not_rows.
    clean = {(each["site"], each["table_name"], each["not_rows"]) for each in accounts if not each["rows_quarantined"]}
    rows, known = by_file.collect(), {}
    for row in rows:
        is_valid = row["was_read"] and not row["differs_outside"]
        few = row["differing_lines"] <= MOST_CHANGED * row["lines"]
        if is_valid and few and (row["site"], row["table_name"], row["not_rows"]) in clean:
            known[row["site"], row["table_name"]] = KnownFile(row["lines"], row["not_rows"], row["differing"])
    to_read = sum(row["differing_lines"] if (row["site"], row["table_name"]) in known else row["lines"] for row in rows)
    return known, sum(row["lines"] for row in rows), to_read


def _sum(lines: Column) -> Column:
    return F.coalesce(F.sum(lines), F.lit(0))


def _parsed(run: Run, dump: DumpTable, files: Files, blocks: DataFrame) -> DataFrame:
    """The lines of blocks that differ, as the fast path parses them."""
    wanted = F.broadcast(blocks.where(F.col("table_name") == dump.table.name).select("site", "block"))
    found = []
    for layout in FAST_LAYOUTS:
        of_layout = {number: each for number, each in files.items() if each.peek.layout is layout}
        if of_layout:
            lines = read_lines(run.lake.spark, of_layout, layout).withColumn("block", block_of_line("value"))
            found.append(parse_lines(lines.join(wanted, ["site", "block"], "left_semi").drop("block"), dump))
    return reduce(DataFrame.unionByName, found)


def _revise(tables: SiteTables, dump: DumpTable, rows: DataFrame, blocks: DataFrame) -> None:
    """Write the changed rows of blocks that differ; most of their rows may be unchanged."""
    wanted = blocks.where(F.col("table_name") == dump.table.name).select("site", "block")
    stored = tables.published(dump.table).withColumn("block", block_of_id(F.col(dump.attributes[ROW_ID])))
    before = stored.join(F.broadcast(wanted), ["site", "block"], "left_semi").drop("block")
    key = list(dump.table.key)
    changed = changed_rows(dump.table, before, rows).select(*key, "change").distinct().persist()
    stale, fresh = (changed.where(F.col("change") != other).select(*key) for other in (NEW, GONE))
    base = tables.base[dump.table.name]
    if changed.isEmpty():
        tables.run.adopt(dump.table, base)
    else:
        changed_now = rows.join(fresh, key, "left_semi")
        tables.run.merge_rows(dump.table, changed_now, stale=None if stale.isEmpty() else stale, base=base)
    changed.unpersist()
