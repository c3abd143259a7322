"""Garbage collection: removes files that neither the published run nor a rollback needs."""

from __future__ import annotations

from collections.abc import Sequence

from delta.tables import DeltaTable

from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.declared_tables import declared_tables
from cqa_spark.lake.folders import MODELS, remove_files, remove_folder
from cqa_spark.lake.journal import FOLDER
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.new_files import UNCOMMITTED
from cqa_spark.lake.published_copies import COPIES
from cqa_spark.lake.publishing import published_run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.run_table import run_folder
from cqa_spark.lake.table import RunTable
from cqa_spark.lake.table_state import files_since


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
    """Remove models that no kept run refers to, and tables of other runs; return their folders.

    Uncommitted files are removed as well: the lease excludes a process that is writing them.

    A run may rank with the model of a much older run.
    """
    # The path may start with another location of the lake: a relative one, or that of another machine.
    pointed_at = [f"/{path}/" for record in kept for path in record.artifacts.values()]
    folders = lake.objects.folders
    models = [f"{MODELS}/{run}/{attempt}" for run in folders(MODELS) for attempt in folders(f"{MODELS}/{run}")]
    unused = [folder for folder in models if not any(f"/{folder}/" in path for path in pointed_at)]
    remove_folder(lake, UNCOMMITTED)
    removed = [*unused, *_tables_of_others(lake, kept)]
    for folder in removed:
        lake.lease.renew()
        remove_folder(lake, folder)
    return removed


def _tables_of_others(lake: LeasedLake, kept: Sequence[RunRecord]) -> list[str]:
    """The folders of tables of single runs that no kept run refers to."""
    found: list[str] = []
    for table in declared_tables().values():
        if isinstance(table, RunTable):
            versions = ((record.run_id, record.table_versions.get(table.name)) for record in kept)
            needed = {run_folder(table, run_id, version) for run_id, version in versions if version is not None}
            parent = f"{FOLDER}/{table.name}"
            found += sorted({f"{parent}/{name}" for name in lake.objects.folders(parent)} - needed)
    return found


def vacuum_tables(lake: LeasedLake, kept: Sequence[RunRecord]) -> list[str]:
    """Remove table files that neither the oldest kept version nor a later one needs; return the tables' names.

    A copy of a published table keeps its newest version and the one before, which readers may still use.

    A table whose newest version belongs to a failed run is first restored to the published version, so that the failed
    run's files can be removed once earlier versions are no longer kept.
    """
    names, copies = _delta_tables(lake), _newest_copies(lake)
    for name, newest in names.items():
        lake.lease.renew()
        needed = [record.table_versions[name] for record in kept if name in record.table_versions]
        if needed and newest not in needed:
            DeltaTable.forPath(lake.spark, lake.path(name)).restoreToVersion(needed[0])
        _remove_unneeded(lake, name, min(needed, default=newest))
    for name, newest in copies.items():
        lake.lease.renew()
        _remove_unneeded(lake, name, max(newest - 1, 0))
    return [*names, *copies]


def _delta_tables(lake: LeasedLake) -> dict[str, int]:
    """The newest version of every table that runs wrote, by name; journal tables have no versions of their own."""
    written = {name for record in RunLog(lake.objects).records() for name in record.table_versions}
    return _newest_versions(lake, sorted(written))


def _newest_copies(lake: LeasedLake) -> dict[str, int]:
    """The newest version of every copy of a published table, by name."""
    return _newest_versions(lake, [copy.name for copy in COPIES])


def _newest_versions(lake: LeasedLake, names: Sequence[str]) -> dict[str, int]:
    newest = {name: CommitLog(lake.objects, name).newest_version() for name in names}
    return {name: version for name, version in newest.items() if version is not None}


def _remove_unneeded(lake: LeasedLake, name: str, version: int) -> None:
    """Remove the files of a table that belong neither to a version nor to a later one.

    Delta's ``VACUUM`` would take about thirty Spark jobs per table, and round the time of the version to hours.
    """
    needed = {f"{name}/{path}" for path in files_since(lake.objects, name, version)}
    stored = (key for key in lake.objects.keys(f"{name}/") if "/_" not in key)  # not the log
    remove_files(lake, [key for key in stored if key not in needed])
