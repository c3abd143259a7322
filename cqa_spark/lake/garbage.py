"""Garbage collection: removes what neither the published run nor a rollback needs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from delta.tables import DeltaTable

from cqa_spark.errors import ContractError
from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.exports import current_export
from cqa_spark.lake.folders import EXPORTS, MODELS, remove_folder
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.new_files import UNCOMMITTED
from cqa_spark.lake.published_copies import COPIES
from cqa_spark.lake.publishing import published_run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord

_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
_MARGIN_SECONDS = 60


def runs_to_keep(lake: LeasedLake, keep: int) -> list[RunRecord]:
    """The published run, earlier published runs, and later successful runs that may still be published.

    Args:
        lake: leased by this process.
        keep: how many published runs, at least 1; each counts once, by its latest publication.
    """
    log, current = RunLog(lake.objects), published_run(lake)
    published = {current.run_id: current} if current is not None else {}
    for record in reversed(log.records(status="published")):
        published.setdefault(record.run_id, record)
    waiting = {
        record.run_id: record
        for record in log.records(status="succeeded")
        if current is None or record.recorded_at > current.recorded_at
    }
    return [*list(published.values())[:keep], *waiting.values()]


def remove_attempts(lake: LeasedLake, kept: Sequence[RunRecord]) -> list[str]:
    """Remove models that no kept run points to, and exports of other runs; return their folders.

    What commits were made of goes, too: the lease excludes a process that makes one.

    A run may rank with a model that a run trained long before. The exported run may be another than the published one,
    if a nightly run ended between publishing and exporting.
    """
    # The lake's own part of a path may differ from today's: relative, or from another machine.
    pointed_at = [f"/{path}/" for record in kept for path in record.artifacts.values()]
    folders = lake.objects.folders
    models = [f"{MODELS}/{run}/{attempt}" for run in folders(MODELS) for attempt in folders(f"{MODELS}/{run}")]
    unused = [folder for folder in models if not any(f"/{folder}/" in path for path in pointed_at)]
    exported = current_export(lake)
    needed = {record.run_id for record in kept} | ({exported.run_id} if exported is not None else set())
    others = set(folders(EXPORTS)) - needed
    remove_folder(lake, UNCOMMITTED)
    removed = [*unused, *[f"{EXPORTS}/{run}" for run in sorted(others)]]
    for folder in removed:
        lake.lease.renew()
        remove_folder(lake, folder)
    return removed


def vacuum_tables(lake: LeasedLake, kept: Sequence[RunRecord]) -> list[str]:
    """Remove files of tables that no version needs from the oldest kept one on; return the tables' names.

    A copy of a published table keeps its newest version, and the one before, which may be being read.

    A table whose newest version was written by a run that failed is first brought back to the published version: what
    the failed run wrote can be removed once earlier versions are no longer kept.
    """
    names, copies = _delta_tables(lake), _newest_copies(lake)
    lake.spark.conf.set(_CHECK, "false")  # it protects active writers; the lease excludes them
    try:
        for name in names:
            lake.lease.renew()
            stored, commits = DeltaTable.forPath(lake.spark, lake.path(name)), CommitLog(lake.objects, name)
            needed = [record.table_versions[name] for record in kept if name in record.table_versions]
            if needed and commits.newest_version() not in needed:
                stored.restoreToVersion(needed[0])
            stored.vacuum(_hours_since(commits, name, min(needed)) if needed else 0)
        for name, newest in copies.items():
            lake.lease.renew()
            stored, commits = DeltaTable.forPath(lake.spark, lake.path(name)), CommitLog(lake.objects, name)
            stored.vacuum(_hours_since(commits, name, newest))
    finally:
        lake.spark.conf.unset(_CHECK)
    return [*names, *copies]


def _delta_tables(lake: LeasedLake) -> list[str]:
    """The names of the tables that runs wrote, without journal tables, which have no versions of their own."""
    written = {name for record in RunLog(lake.objects).records() for name in record.table_versions}
    return sorted(name for name in written if CommitLog(lake.objects, name).newest_version() is not None)


def _newest_copies(lake: LeasedLake) -> dict[str, int]:
    """The newest version of every copy of a published table, by name."""
    newest = {copy.name: CommitLog(lake.objects, copy.name).newest_version() for copy in COPIES}
    return {name: version for name, version in newest.items() if version is not None}


def _hours_since(commits: CommitLog, name: str, version: int) -> int:
    """Whole hours since a version was written, rounded up: files that it needs were removed from the table later.

    Delta rounds retention hours; rounding down would delete files that the version needs.

    Raises:
        ContractError: the table's log does not say when.
    """
    commit = commits.commit(version)
    if commit is None or commit.written_at is None:
        raise ContractError(
            f"table {name}: its log does not say when version {version} was written",
            "keep fewer runs, so that this version need not be kept: --keep",
        )
    return math.ceil((time.time() - commit.written_at + _MARGIN_SECONDS) / 3600)
