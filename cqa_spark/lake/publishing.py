"""Publishes runs and reads the published one, through a pointer that changes atomically."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError, noted
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.pointer import point_to, read_pointer
from cqa_spark.lake.published_copies import FOLDER, update_copies
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_state import TableState
from cqa_spark.process.stop_signals import uninterrupted


@dataclass(frozen=True)
class Snapshot(RunTables):
    """The tables of a successful run, as a consistent snapshot."""

    lake: Lake
    record: RunRecord

    def read(self, table: Table) -> DataFrame:
        """The published rows of a table.

        Raises:
            InputError: the published run has no such table.
        """
        return self._stored(table, self._version(table))

    def state(self, table: Table) -> TableState:
        """The files of the published version, with their row and null counts."""
        return self.lake.state(table, self._version(table))

    def entries(self, table: JournalTable) -> list[Entry]:
        """The published entries of a journal table.

        Raises:
            InputError: the published run has no such table.
        """
        return self.lake.journal.read(table, run_id=self.record.run_id, attempt=self._version(table))

    def _version(self, table: Table | JournalTable) -> int:
        if not self.has(table):
            raise InputError(
                f"the published run {self.record.run_id} has no table {table.name}",
                "publish a run that wrote it; cqa runs show lists the tables of a run",
            )
        return self.record.table_versions[table.name]


def published_run(lake: Lake) -> RunRecord | None:
    """The published run; None before the first publication."""
    return read_pointer(lake.objects).record


def published_snapshot(lake: Lake) -> Snapshot:
    """The published run with its tables.

    Raises:
        InputError: nothing is published.
    """
    record = published_run(lake)
    if record is None:
        raise InputError(f"nothing is published in {lake.root}", "publish a run: cqa runs publish RUN_ID")
    return Snapshot(lake, record)


def snapshot_of(lake: Lake, run_id: str | None) -> Snapshot:
    """A successful run with its tables.

    Args:
        lake: the lake.
        run_id: the run; None for the published one.

    Raises:
        InputError: there is no such run, or nothing is published.
    """
    if run_id is None:
        return published_snapshot(lake)
    return Snapshot(lake, RunLog(lake.objects).require_success(run_id))


def publish(lake: LeasedLake, run_id: str, *, reason: str = "published") -> RunRecord:
    """Publish a finished run atomically; a no-op if it is already published.

    Args:
        lake: leased by this process.
        run_id: the run.
        reason: the message of the log's row.

    Raises:
        InputError: the run never succeeded.
        AnotherWriter: this process no longer holds the lease.
    """
    success = RunLog(lake.objects).require_success(run_id)
    current = published_run(lake)
    if current is not None and _shows_the_same(current, success):
        return current
    return _show(lake, success, job="publish", message=reason)


def rollback(lake: LeasedLake, to: str | None = None) -> RunRecord:
    """Publish an earlier published run again.

    Args:
        lake: leased by this process.
        to: its id; None for the run that was published before the current one.

    Raises:
        InputError: there is no such run.
        AnotherWriter: this process no longer holds the lease.
    """
    current = published_run(lake)
    shown = current.run_id if current else None
    earlier = [
        r for r in RunLog(lake.objects).records(status="published") if r.run_id != shown and to in (None, r.run_id)
    ]
    if not earlier:
        wanted = f"run {to} was not published before" if to else "no earlier run was published"
        raise InputError(f"{wanted} in {lake.root}", "list the runs: cqa runs list")
    return _show(lake, earlier[-1], job="rollback", message=f"rolled back from {shown}")


def _show(lake: LeasedLake, run: RunRecord, *, job: str, message: str) -> RunRecord:
    """Swap the pointer first, then log and copy; the next holder of the lease completes an interrupted publication."""
    shown = replace(run, status="published", job=job, message=message, recorded_at=datetime.now(UTC))
    lake.lease.renew()
    with uninterrupted():
        point_to(lake.objects, shown, lake.lease.token)
        with noted(f"run {run.run_id} is published, but not recorded in the run log"):
            RunLog(lake.objects).append(shown)
    with noted(f"run {run.run_id} is published; the next job that writes the lake updates {lake.path(FOLDER)}"):
        update_copies(lake)
    return shown


def _shows_the_same(current: RunRecord, candidate: RunRecord) -> bool:
    return current.run_id == candidate.run_id and dict(current.table_versions) == dict(candidate.table_versions)
