"""Collects the numbers of records read and quarantined, with samples from the quarantine."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.reports.run.intake.content import FileRows, Intake, QuarantineReason, QuarantineSample
from cqa_spark.reports.scope import Scope

FILES = 60
REASONS = 20
RAW_CHARACTERS = 500


def collect_intake(scope: Scope, samples: int) -> Intake:
    """The records read and quarantined.

    Args:
        scope: tables of the run; all splits are counted.
        samples: number of quarantined records to show.
    """
    ingested, quarantine = scope.tables.get("ingested_files"), scope.tables.get("quarantine")
    if ingested is None:
        return Intake()
    totals = ingested.agg(
        *[F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in ("rows_in", "rows_out", "rows_quarantined")],
        F.count(F.lit(1)).alias("file_count"),
    ).first()
    assert totals is not None
    return Intake(
        **totals.asDict(),
        files=_files(ingested),
        reasons=() if quarantine is None else _reasons(quarantine),
        samples=() if quarantine is None else _samples(quarantine, samples),
    )


def _files(ingested: DataFrame) -> tuple[FileRows, ...]:
    ordered = ingested.orderBy(F.desc("rows_quarantined"), F.desc("rows_in"), "site", "source_file").limit(FILES)
    return tuple(
        FileRows(row.site, row.source_file, row.split, row.rows_in, row.rows_out, row.rows_quarantined)
        for row in ordered.collect()
    )


def _reasons(quarantine: DataFrame) -> tuple[QuarantineReason, ...]:
    counted = quarantine.groupBy("reason").agg(F.count(F.lit(1)).alias("rows"))
    ordered = counted.orderBy(F.desc("rows"), "reason").limit(REASONS)
    return tuple(QuarantineReason(row.reason, row.rows) for row in ordered.collect())


def _samples(quarantine: DataFrame, samples: int) -> tuple[QuarantineSample, ...]:
    first = quarantine.orderBy("site", "source_file", "byte_offset").limit(samples)
    begun = first.select("source_file", "byte_offset", "reason", F.substring("raw", 1, RAW_CHARACTERS).alias("raw"))
    return tuple(QuarantineSample(**row.asDict()) for row in begun.collect())
