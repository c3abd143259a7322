"""Making a run visible, and reading what is visible; each is about one row of the log of runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table


@dataclass(frozen=True)
class Snapshot:
    """The tables of the published run, all from the same moment."""

    lake: Lake
    record: RunRecord

    def read(self, table: Table) -> DataFrame:
        """The published rows of a table.

        Raises:
            InputError: the published run has no such table.
        """
        if table.name not in self.record.table_versions:
            raise InputError(
                f"the published run {self.record.run_id} has no table {table.name}",
                "publish a run that wrote it; cqa runs show lists the tables of a run",
            )
        return self.lake.read(table, self.record.table_versions[table.name])


def published_snapshot(lake: Lake) -> Snapshot:
    """What readers see.

    Raises:
        InputError: nothing was published yet.
    """
    record = RunLog(lake).published()
    if record is None:
        raise InputError(f"nothing is published in {lake.root}", "publish a run: cqa runs publish RUN_ID")
    return Snapshot(lake, record)


def publish(lake: Lake, run_id: str, *, reason: str = "published") -> RunRecord:
    """Make a finished run the one that readers see, by one commit of one row; a no-op where it already is.

    Raises:
        InputError: the run never succeeded.
    """
    log = RunLog(lake)
    success = log.require_success(run_id)
    current = log.published()
    if current is not None and _shows_the_same(current, success):
        return current
    return log.append(
        replace(success, status="published", job="publish", message=reason, recorded_at=datetime.now(UTC))
    )


def rollback(lake: Lake, to: str | None = None) -> RunRecord:
    """Make a run that was published before visible again.

    Args:
        lake: the lake.
        to: its id; None for the run that was published before the current one.

    Raises:
        InputError: there is no such run.
    """
    log = RunLog(lake)
    published = log.records(status="published")
    current = published[-1].run_id if published else None
    earlier = [r for r in published if r.run_id != current and to in (None, r.run_id)]
    if not earlier:
        wanted = f"run {to} was not published before" if to else "no earlier run was published"
        raise InputError(f"{wanted} in {lake.root}", "see what there is with: cqa runs list")
    reason = f"rolled back from {current}"
    return log.append(
        replace(earlier[-1], status="published", job="rollback", message=reason, recorded_at=datetime.now(UTC))
    )


def _shows_the_same(current: RunRecord, candidate: RunRecord) -> bool:
    return current.run_id == candidate.run_id and dict(current.table_versions) == dict(candidate.table_versions)
