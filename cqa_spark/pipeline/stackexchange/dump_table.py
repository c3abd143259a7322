"""One kind of dump file → its table, its quarantine, its account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.corpora.stackexchange.columns import table_rows
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.duplicates import repeated_keys, settle
from cqa_spark.corpora.stackexchange.line_counts import not_rows
from cqa_spark.corpora.stackexchange.lines import Files, OpenFile
from cqa_spark.corpora.stackexchange.packed import refuse_damaged
from cqa_spark.corpora.stackexchange.table_reader import TableReader
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.table import Table


@dataclass(frozen=True)
class SiteTables:
    """The tables of a run that reads some sites and leaves the others as they were published.

    Attributes:
        run: the run.
        base: versions of the published tables.
        sites: what the run reads.
    """

    run: Run
    base: Mapping[str, int]
    sites: list[str]

    def write(self, table: Table, frame: DataFrame) -> int:
        """Put the rows of the sites in the place of the published ones; give their number."""
        names = ", ".join(map(_quoted, self.sites))
        return self.run.replace(table, frame, where=f"site IN ({names})", base=self.base.get(table.name)).rows

    def of_sites(self, table: Table) -> DataFrame:
        """The rows of the sites that the run read."""
        return self.run.read(table).where(F.col("site").isin(self.sites))

    def published(self, table: Table) -> DataFrame:
        """The rows of the sites that readers see while the run is under way."""
        if table.name not in self.base:
            return self.empty(table)
        return self.run.lake.read(table, self.base[table.name]).where(F.col("site").isin(self.sites))

    def has(self, table: Table) -> bool:
        """Whether the run has a version of the table."""
        return self.run.has(table)

    def keep_others(self, tables: Iterable[Table]) -> None:
        """Take over the published version of tables that the run does not write."""
        for table in tables:
            if not self.has(table) and table.name in self.base:
                self.run.adopt(table, self.base[table.name])

    def empty(self, table: Table) -> DataFrame:
        """No rows."""
        return table.empty(self.run.lake.spark)


def read_dump_table(tables: SiteTables, dump: DumpTable, files: Files) -> list[FileAccount]:
    """Read all files of one kind: what the fast path understands, then what it does not, then rows that repeat.

    Args:
        tables: where the rows go.
        dump: the kind.
        files: its files; none where the dumps lack them, which empties the table for these sites.

    Returns:
        What became of each file's lines; what is stored is counted from the tables.
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
    return [_account(dump, each, *counts[number], stored, refused) for number, each in files.items()]


def _quoted(text: str) -> str:
    """A text as Spark SQL writes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


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
    settled = settle(both, dump).persist()
    run.delete(dump.table, repeated)
    _append(run, dump, settled)
    settled.unpersist()


def _quarantine(outcomes: DataFrame) -> DataFrame:
    refused = outcomes.where(F.col("problem").isNotNull())
    return refused.select("site", "source_file", "byte_offset", F.col("problem").alias("reason"), "raw")


def _is_sound() -> Column:
    return F.col("is_row") & F.col("problem").isNull()


def _looked_at(unclear: Iterable[int], outcomes: DataFrame | None) -> dict[int, tuple[int, int]]:
    """Records, and records without a row of their own, of every file that had a closer look."""
    counts = dict.fromkeys(unclear, (0, 0))
    if outcomes is not None:
        has_own = (F.col("is_row") | F.col("problem").isNotNull()).cast("int")
        by_file = outcomes.groupBy("file").agg(
            F.sum("records").alias("records"), F.sum(F.col("records") - has_own).alias("without")
        )
        counts |= {row["file"]: (row["records"], row["without"]) for row in by_file.collect()}
    return counts


def _account(
    dump: DumpTable, each: OpenFile, lines: int, between: int, stored: Mapping[str, int], refused: Mapping[str, int]
) -> FileAccount:
    return FileAccount(
        site=each.file.site,
        source_file=each.file.path,
        split=UNANNOTATED,
        table_name=dump.table.name,
        lines=lines,
        not_rows=between,
        is_complete=each.peek.complete,
        rows_in=lines - between,
        rows_out=stored.get(each.file.path, 0),
        rows_quarantined=refused.get(each.file.path, 0),
    )


def _by_source(frame: DataFrame) -> dict[str, int]:
    return {row["source_file"]: row["count"] for row in frame.groupBy("source_file").count().collect()}
