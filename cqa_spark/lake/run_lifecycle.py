"""Opens a run: records its start, and its success, failure or stop."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from cqa_spark.errors import CqaError, message_of
from cqa_spark.lake.manifest import read_manifest, write_manifest
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord, about, ended
from cqa_spark.lake.run_state import OnStep
from cqa_spark.lake.storage import Lake
from cqa_spark.process.stop_signals import Stopped, uninterrupted
from cqa_spark.spark.concurrency import cancel_jobs


@contextmanager
def open_run(lake: Lake, begin: RunRecord, *, resume: bool, on_step: OnStep) -> Iterator[Run]:
    """Record the start of a run, yield it, and record its end.

    Args:
        lake: the lake of the run.
        begin: the run's id, job and settings.
        resume: continue from the tables, steps and artifacts of the run's last success, as jobs with a single step do;
            otherwise the run starts from scratch and produces the same tables.
        on_step: called with every finished step.

    Raises:
        the error of the body, after a record with status failed or stopped was logged. If that record cannot be logged
            either, the status of the run remains running.
    """
    log = RunLog(lake.objects)
    before = log.last_success(begin.run_id) if resume else None
    if before is not None:
        begin = replace(begin, steps=before.steps, **about(before))
    manifest = read_manifest(lake.objects, before) if before is not None else None
    begin = replace(begin, status="running", started_at=begin.recorded_at)
    run = Run(lake, begin, on_step, manifest)
    try:
        with uninterrupted():
            run.record = log.append(replace(run.record, attempt=log.next_sequence()))
        yield run
        with uninterrupted():
            write_manifest(lake.objects, run.record, run.manifest())
            lake.before_write()  # who took the lake over may have collected the files before there was a manifest
            sites = tuple(sorted(set[str]().union(*(files.sites for files in run.tables.values()))))
            done = replace(run.record, sites=sites)
            run.record = log.append(ended(done, "succeeded", f"{begin.job} finished"))
    except BaseException as error:
        if run.record.status == "running":
            _log_end(log, run, error)
        raise


def _log_end(log: RunLog, run: Run, error: BaseException) -> None:
    """Log that a run has failed or was stopped; a failure to log does not hide the original error."""
    status = "stopped" if isinstance(error, Stopped) else "failed"
    with suppress(Exception), uninterrupted():
        if status == "stopped":
            cancel_jobs()  # Spark does not cancel the job of an interrupted call
        run.record = log.append(ended(run.record, status, _reason(error)))
        error.add_note(f"run {run.run_id} is recorded as {status}")


def _reason(error: BaseException) -> str:
    if isinstance(error, CqaError):
        return error.problem
    if isinstance(error, Stopped):
        return f"stopped by {error.signal.name}"
    return f"{type(error).__name__}: {message_of(error)}"[:2000]
