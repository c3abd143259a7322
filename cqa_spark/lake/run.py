"""A run in the making: reads what it wrote so far, writes new versions, records its steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pyspark.sql import DataFrame

from cqa_spark.errors import CqaError, InputError
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import InputRecord, RunRecord, Step
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.storage import Lake, Written
from cqa_spark.lake.table import Table

OnStep = Callable[[Step], None]


class Run(RunTables):
    """One execution of a job; made by ``open_run``.

    Nothing that it writes is visible to readers until its tables are published. Several threads may write its tables
    and add artifacts at once.
    """

    def __init__(self, lake: Lake, record: RunRecord, on_step: OnStep) -> None:
        self.lake = lake
        self.record = record
        self._on_step = on_step
        self._noting = threading.Lock()

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.record.run_id

    def read(self, table: Table) -> DataFrame:
        """The version of a table that this run wrote.

        Raises:
            InputError: the run has not written the table yet.
        """
        if not self.has(table):
            raise InputError(
                f"run {self.run_id} has no table {table.name}",
                "run the earlier jobs with the same --run-id first, or all of them at once with: cqa run",
            )
        return self.lake.read(table, self.record.table_versions[table.name])

    def write(self, table: Table, frame: DataFrame) -> Written:
        """Write a new version of a table and remember it as this run's."""
        written = self.lake.write(table, frame, author=self.run_id)
        self.adopt(table, written.version)
        return written

    def replace(self, table: Table, frame: DataFrame, *, where: str, base: int | None) -> Written:
        """Write a version that differs from an earlier one in some rows, as ``Lake.replace`` does."""
        written = self.lake.replace(table, frame, where=where, base=base, author=self.run_id)
        self.adopt(table, written.version)
        return written

    def revise(self, table: Table, frame: DataFrame, *, stale: DataFrame | None, base: int) -> Written:
        """Write a version that differs from an earlier one in some rows, as ``Lake.revise`` does."""
        written = self.lake.revise(table, frame, stale=stale, base=base, author=self.run_id)
        self.adopt(table, written.version)
        return written

    def append(self, table: Table, frame: DataFrame) -> None:
        """Add rows to what this run wrote of a table."""
        self.adopt(table, self.lake.append(table, frame))

    def delete(self, table: Table, keys: DataFrame) -> None:
        """Remove rows from what this run wrote of a table."""
        self.adopt(table, self.lake.delete(table, keys))

    def adopt(self, table: Table, version: int) -> None:
        """Take a version of a table as this run's."""
        with self._noting:
            versions = {**self.record.table_versions, table.name: version}
            self.record = replace(self.record, table_versions=versions)

    def add_inputs(self, inputs: Sequence[InputRecord]) -> None:
        """Remember the files that the run reads."""
        self.record = replace(self.record, inputs=tuple(inputs))

    def add_artifact(self, name: str, path: str) -> None:
        """Remember where a model, report or prediction file lies."""
        with self._noting:
            self.record = replace(self.record, artifacts={**self.record.artifacts, name: path})

    def artifact_path(self, kind: str, *parts: str) -> str:
        """A path for this attempt's own artifact: a repeated run never touches what a published one points to."""
        return self.lake.path(kind, self.run_id, str(self.record.sequence), *parts)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Time a step and record the counts that it fills in."""
        step = Step(name)
        started = time.perf_counter()
        yield step
        step.seconds = round(time.perf_counter() - started, 3)
        self.record = replace(self.record, steps=(*self.record.steps, step))
        self._on_step(step)


@contextmanager
def open_run(lake: Lake, begin: RunRecord, *, resume: bool, on_step: OnStep) -> Iterator[Run]:
    """Log that a run begins, hand it out, and log how it ended.

    Args:
        lake: where the run reads and writes.
        begin: the run's id, job and settings.
        resume: go on from the tables, steps and artifacts of the run's last success, as the jobs of one stage do; a
            whole run starts afresh and converges to the same tables.
        on_step: is told of every finished step.

    Raises:
        whatever the body raises, after a row with status failed was logged.
    """
    log = RunLog(lake)
    before = log.last_success(begin.run_id) if resume else None
    if before is not None:
        begin = replace(
            begin,
            inputs=before.inputs,
            steps=before.steps,
            table_versions=before.table_versions,
            artifacts=before.artifacts,
        )
    run = Run(lake, log.append(replace(begin, status="running")), on_step)
    try:
        yield run
    except BaseException as error:
        log.append(replace(run.record, status="failed", message=_reason(error)))
        raise
    run.record = log.append(replace(run.record, status="succeeded", message=f"{begin.job} finished"))


def _reason(error: BaseException) -> str:
    if isinstance(error, CqaError):
        return error.problem
    return f"{type(error).__name__}: {error}"[:2000]
