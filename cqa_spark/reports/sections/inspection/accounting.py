"""Input files, quarantined records and orphans of a site."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.reports.sections.inspection.contents import first_rows, grouped


@dataclass(frozen=True)
class OrphanReference:
    """Number of rows of a table with a reference to missing rows of another table."""

    table: str
    reference: str
    missing_in: str
    rows: int


@dataclass(frozen=True)
class Refusal:
    """A reason for quarantine, with the first record as an example.

    Attributes:
        reason: one sentence; numbers in which the records differ are replaced by an ellipsis.
        rows: number of quarantined records.
        source_file: file of the example.
        byte_offset: offset of the example in its file, in bytes from 0.
        example_reason: reason of the example.
        raw: beginning of the example's text.
    """

    reason: str
    rows: int
    source_file: str
    byte_offset: int
    example_reason: str
    raw: str


@dataclass(frozen=True)
class FileFacts:
    """One input file; if lines are counted, lines = rows_out + rows_quarantined + rows_forgotten + not_rows.

    Attributes:
        path: location of the file.
        table: the table that it fills; None if it fills several.
        lines: number of lines; None if records are not lines.
        rows_out: number of ingested records.
        rows_quarantined: number of quarantined records.
        not_rows: number of lines without a record.
        is_complete: whether the file is not truncated; None if unknown.
        rows_forgotten: number of records that the lake has forgotten.
    """

    path: str
    table: str | None
    lines: int | None
    rows_out: int
    rows_quarantined: int
    not_rows: int | None
    is_complete: bool | None
    rows_forgotten: int = 0

    @property
    def adds_up(self) -> bool:
        """Whether the record counts agree with the number of lines; true if lines are not counted."""
        counted = self.rows_out + self.rows_quarantined + self.rows_forgotten + (self.not_rows or 0)
        return self.lines is None or self.lines == counted


@dataclass(frozen=True)
class FileTotals:
    """Totals over all input files of a site; ``lines`` is None unless they are counted in every file."""

    files: int = 0
    incomplete: int = 0
    lines: int | None = None
    rows_out: int = 0
    rows_quarantined: int = 0
    not_rows: int = 0
    rows_forgotten: int = 0


NO_FILES = FileTotals()

REASONS = 20
FILES = 20
RAW_CHARACTERS = 300


def collect_quarantined(quarantine: DataFrame, files: Sequence[Entry]) -> dict[str, Counter[str | None]]:
    """Number of quarantined records by site and table; the table is None for files that fill several tables.

    Args:
        quarantine: the table ``quarantine``.
        files: entries of ``INGESTED_FILES``.
    """
    filled = {(entry["site"], entry["source_file"]): entry["table_name"] for entry in files}
    by_site: dict[str, Counter[str | None]] = defaultdict(Counter)
    for row in quarantine.groupBy("site", "source_file").agg(F.count(F.lit(1)).alias("rows")).collect():
        by_site[row.site][filled.get((row.site, row.source_file))] += row.rows
    return by_site


def collect_refusals(quarantine: DataFrame) -> dict[str, tuple[Refusal, ...]]:
    """The reasons for quarantine of each site, most frequent first.

    Reasons may contain ids or offsets, so they are grouped without their numbers.
    """
    position = F.struct("source_file", "byte_offset")
    raw = F.substring("raw", 1, RAW_CHARACTERS).alias("raw")
    example = F.struct("source_file", "byte_offset", F.col("reason").alias("example_reason"), raw)
    counted = quarantine.groupBy("site", F.regexp_replace("reason", r"\d+", "…").alias("kind")).agg(
        F.count(F.lit(1)).alias("rows"),
        F.when(F.min("reason") == F.max("reason"), F.min("reason")).alias("only_reason"),
        F.min_by(example, position).alias("example"),
    )
    named = counted.select("site", F.coalesce("only_reason", "kind").alias("reason"), "rows", "example")
    order = (F.desc("rows"), "reason")
    rows = first_rows(named, REASONS, *order).orderBy("site", *order).collect()
    return grouped(rows, lambda row: Refusal(reason=row.reason, rows=row.rows, **row.example.asDict()))


def orphans_by_site(orphans: Sequence[Entry]) -> dict[str, tuple[OrphanReference, ...]]:
    """The dangling references (entries of ``ORPHANS``) of each site, most rows first."""
    in_order = sorted(orphans, key=lambda e: (-e["rows"], e["table_name"], e["reference"]))
    return grouped(in_order, lambda e: OrphanReference(e["table_name"], e["reference"], e["missing_in"], e["rows"]))


def file_totals(files: Sequence[Entry]) -> dict[str, FileTotals]:
    """The totals over the input files (entries of ``INGESTED_FILES``) of each site."""
    return {site: _totals(entries) for site, entries in grouped(files, lambda entry: entry).items()}


def first_files(files: Sequence[Entry]) -> dict[str, tuple[FileFacts, ...]]:
    """Some input files of each site: truncated ones first, then those with the most quarantined records."""
    return {site: _first_files(entries) for site, entries in grouped(files, lambda entry: entry).items()}


def _totals(files: Sequence[Entry]) -> FileTotals:
    lines = [entry["lines"] for entry in files]
    return FileTotals(
        files=len(files),
        incomplete=sum(entry["is_complete"] is False for entry in files),
        lines=None if None in lines else sum(lines),
        rows_out=sum(entry["rows_out"] for entry in files),
        rows_quarantined=sum(entry["rows_quarantined"] for entry in files),
        not_rows=sum(entry["not_rows"] or 0 for entry in files),
        rows_forgotten=sum(map(forgotten, files)),
    )


def _first_files(files: Sequence[Entry]) -> tuple[FileFacts, ...]:
    """Truncated files first, then those with the most quarantined records, then the largest."""

    def order(entry: Entry) -> tuple[bool, bool, int, int, str]:
        is_complete = entry["is_complete"]
        return (
            is_complete is None,
            bool(is_complete),
            -entry["rows_quarantined"],
            -entry["rows_in"],
            entry["source_file"],
        )

    return tuple(
        FileFacts(
            path=entry["source_file"],
            table=entry["table_name"],
            lines=entry["lines"],
            rows_out=entry["rows_out"],
            rows_quarantined=entry["rows_quarantined"],
            not_rows=entry["not_rows"],
            is_complete=entry["is_complete"],
            rows_forgotten=forgotten(entry),
        )
        for entry in sorted(files, key=order)[:FILES]
    )
