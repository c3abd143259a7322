"""Converts a lake of the previous release, which stored the tables of the journal in Delta format.

A journal file is named after the run and the Delta version in the run's record, so that records do not change. First
all tables are copied, then a marker is written, then the Delta tables are deleted, the run log last. If the migration
is killed before the marker is written, the next one copies again; after it, the next one only deletes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame

from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.folders import remove_folder
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.leased import LeasedLake, complete_log
from cqa_spark.lake.query_measures import by_query
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.run_table import write_run_table
from cqa_spark.lake.schemas.accounting import ID_BLOCKS, INGESTED_FILES, ORPHANS
from cqa_spark.lake.schemas.data_card import DATA_CARD
from cqa_spark.lake.schemas.left_out import LEFT_OUT_GROUPS
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, SITE_METRICS
from cqa_spark.lake.schemas.night import CHANGES, CHECKS
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.lake.schemas.runs import RUNS
from cqa_spark.lake.schemas.studies import ABLATIONS, CROSS_VALIDATIONS, LEARNING_CURVES, TRANSFERS, TRIALS
from cqa_spark.lake.table import RunTable

MIGRATED: tuple[JournalTable | RunTable, ...] = (
    INGESTED_FILES,
    ID_BLOCKS,
    ORPHANS,
    DATA_CARD,
    LEFT_OUT_GROUPS,
    METRICS,
    QUERY_METRICS,
    COMPARISONS,
    SITE_METRICS,
    ABLATIONS,
    TRIALS,
    TRANSFERS,
    LEARNING_CURVES,
    CROSS_VALIDATIONS,
    FEATURE_IMPORTANCES,
    CHANGES,
    CHECKS,
)
"""The tables written by runs; the run log is migrated after them."""

_COPIED = f"{RUNS.name}/copied"
"""The marker of a complete copy."""

Report = Callable[[str], None]


def is_migrated(lake: LeasedLake) -> bool:
    """Whether the previous release's run log is gone."""
    return RUNS.name not in lake.objects.folders()


def migrate_tables(lake: LeasedLake, report: Report) -> None:
    """Move the journal's tables from Delta to the journal; may be repeated after a failure at any point.

    Versions whose files were deleted by garbage collection are skipped.

    Args:
        lake: leased by this process; its run log need not be complete.
        report: called with a line for each table and for each skipped version.
    """
    if _has_run_log(lake) and lake.objects.read(_COPIED) is None:
        records = _records(lake)
        for table in MIGRATED:
            _copy(lake, table, records, report)
        RunLog(lake.objects).restore(records)
        report(f"{RUNS.name}: {len(records)} records")
        complete_log(lake, "ended without a record, before the lake was migrated")
        lake.before_commit()
        lake.objects.put(_COPIED, b"")
    _delete_tables(lake)


def _has_run_log(lake: LeasedLake) -> bool:
    return CommitLog(lake.objects, RUNS.name).newest_version() is not None


def _records(lake: LeasedLake) -> list[RunRecord]:
    """The records of the previous release, in order."""
    rows = lake.spark.read.format("delta").load(lake.path(RUNS.name)).orderBy("sequence").collect()
    return [RunRecord.from_entry(row.asDict(recursive=True)) for row in rows]


def _copy(lake: LeasedLake, table: JournalTable | RunTable, records: Sequence[RunRecord], report: Report) -> None:
    """Write the files of the journal for every run and table version in the records."""
    if CommitLog(lake.objects, table.name).newest_version() is None:
        return
    runs_of = defaultdict(set)
    for record in records:
        if table.name in record.table_versions:
            runs_of[record.table_versions[table.name]].add(record.run_id)
    files = {key.rpartition("/")[2] for key in lake.objects.keys(f"{table.name}/")}
    written = 0
    for version, runs in sorted(runs_of.items()):
        stored = _stored(lake, table, version, files)
        if stored is None:
            report(f"{table.name}: version {version} of {', '.join(sorted(runs))} was garbage-collected; skipped")
            continue
        lake.before_commit()
        for run_id in runs:
            if isinstance(table, RunTable):
                write_run_table(lake, table, table.complete(stored), run_id=run_id, attempt=version)
            else:
                entries = [row.asDict(recursive=True) for row in stored.collect()]
                lake.journal.write(table, entries, run_id=run_id, attempt=version)
            written += 1
    report(f"{table.name}: {written} in the journal")


def _stored(lake: LeasedLake, table: JournalTable | RunTable, version: int, files: set[str]) -> DataFrame | None:
    """The rows of a version of the Delta table; None if some of its files were deleted.

    Args:
        lake: the lake.
        table: the table of the journal with the same name.
        version: of the Delta table.
        files: names of the existing files of the Delta table.
    """
    stored = lake.spark.read.format("delta").option("versionAsOf", version).load(lake.path(table.name))
    if not {path.rpartition("/")[2] for path in stored.inputFiles()} <= files:
        return None
    if table is QUERY_METRICS:  # in Delta format, a row for each measure
        return by_query(stored)
    return stored.select([column.name for column in table.columns if column.name in stored.columns])


def _delete_tables(lake: LeasedLake) -> None:
    """Delete the Delta tables; a lake whose run log has lost its Delta log counts as migrated."""
    folders = lake.objects.folders()
    for folder in [table.name for table in MIGRATED if table.name in folders]:
        lake.before_commit()
        remove_folder(lake, folder)
    lake.before_commit()
    remove_folder(lake, RUNS.name, "_delta_log")
    remove_folder(lake, RUNS.name)
