"""Collects the numbers of records read and quarantined, with a record of each of the most frequent reasons."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.run.intake.content import FileRows, Intake, QuarantineReason, QuarantineSample
from cqa_spark.reports.scope import Scope

FILES = 60
REASONS = 20
RAW_CHARACTERS = 500


def collect_intake(scope: Scope, samples: int) -> Intake:
    """The records read and quarantined.

    Args:
        scope: tables of the run; all splits are counted.
        samples: number of reasons to show a record of.
    """
    entries, quarantine = scope.journal.get("ingested_files", ()), scope.tables.get("quarantine")
    if not entries:
        return Intake()
    total = {name: sum(entry[name] for entry in entries) for name in ("rows_in", "rows_out", "rows_quarantined")}
    reasons = [] if quarantine is None or not total["rows_quarantined"] else _reasons(quarantine)
    return Intake(
        **total,
        file_count=len(entries),
        files=_files(entries),
        reasons=tuple(QuarantineReason(row.reason, row.rows) for row in reasons),
        samples=tuple(QuarantineSample(reason=row.reason, **row.first.asDict()) for row in reasons[:samples]),
    )


def _files(entries: Sequence[Entry]) -> tuple[FileRows, ...]:
    def place(file: FileRows) -> tuple[int, int, str, str]:
        return -file.rows_quarantined, -file.rows_in, file.site, file.source_file

    found = (from_entry(FileRows, entry) for entry in entries)
    return tuple(sorted(found, key=place)[:FILES])


def _reasons(quarantine: DataFrame) -> list[Row]:
    """The most frequent reasons, each with the first record that has it."""
    raw = F.substring("raw", 1, RAW_CHARACTERS).alias("raw")
    record = F.struct("source_file", "byte_offset", raw)
    first = F.min_by(record, F.struct("site", "source_file", "byte_offset")).alias("first")
    counted = quarantine.groupBy("reason").agg(F.count(F.lit(1)).alias("rows"), first)
    return counted.orderBy(F.desc("rows"), "reason").limit(REASONS).collect()
