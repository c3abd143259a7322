"""The log of runs: an append-only table, the history of what was done and of what was published."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime

from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.runs import RUNS
from cqa_spark.lake.storage import Lake


class RunLog:
    """Reads and appends the rows of the table ``runs`` of one lake."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def append(self, record: RunRecord) -> RunRecord:
        """Add a row after all others, in one commit, and return it with its sequence number."""
        numbered = replace(record, sequence=self._next_sequence())
        row = asdict(numbered)
        frame = self._lake.spark.createDataFrame([tuple(row[name] for name in RUNS.schema.names)], RUNS.schema)
        self._lake.append(RUNS, frame.coalesce(1))
        return numbered

    def records(self, run_id: str | None = None, status: str | None = None) -> list[RunRecord]:
        """The rows in order, of one run or of all, with one status or with any."""
        if not self._lake.exists(RUNS):
            return []
        rows = self._lake.read_latest(RUNS)
        if run_id is not None:
            rows = rows.where(F.col("run_id") == run_id)
        if status is not None:
            rows = rows.where(F.col("status") == status)
        return [RunRecord.from_row(row) for row in rows.orderBy("sequence").collect()]

    def append_published(self, record: RunRecord) -> None:
        """Add the row of a publication; a no-op where it is the last one already."""
        published = self.records(status="published")
        if not published or published[-1].recorded_at != record.recorded_at:
            self.append(record)

    def close_abandoned(self, reason: str) -> None:
        """Log that runs have failed which never said how they ended.

        Args:
            reason: the row's message.
        """
        newest = {record.run_id: record for record in self.records()}
        for record in newest.values():
            if record.status == "running":
                self.append(replace(record, status="failed", message=reason, recorded_at=datetime.now(UTC)))

    def last_success(self, run_id: str) -> RunRecord | None:
        """The newest row in which the run's tables were complete."""
        complete = [r for r in self.records(run_id) if r.status in ("succeeded", "published")]
        return complete[-1] if complete else None

    def require_success(self, run_id: str) -> RunRecord:
        """Like ``last_success``, for runs that must exist.

        Raises:
            InputError: no such run succeeded in this lake; the ones that did are named.
        """
        record = self.last_success(run_id)
        if record is None:
            known = sorted({r.run_id for r in self.records(status="succeeded")})
            raise InputError(
                f"no run {run_id} has succeeded in {self._lake.root}",
                f"choose one of: {', '.join(known)}" if known else "start one with: cqa run --config FILE",
            )
        return record

    def _next_sequence(self) -> int:
        """Every row is a commit, the first one version 0."""
        return self._lake.newest_version(RUNS) + 2 if self._lake.exists(RUNS) else 1
