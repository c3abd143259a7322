"""A record of the run log, as a value."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from cqa_spark.config.value_types import is_remote


@dataclass(frozen=True)
class InputRecord:
    """A file that a run read.

    Attributes:
        path: location of the file.
        split: split of the data set.
        bytes: size; None if the storage does not report it.
        sha256: hash of its bytes, hexadecimal; None if this machine did not read it.
    """

    path: str
    split: str
    bytes: int | None
    sha256: str | None


@dataclass
class StepRecord:
    """The row counts of one step of a run; the step fills them in.

    Attributes:
        step: name, such as ingest.
        rows_in: rows or records read.
        rows_out: rows written.
        rows_quarantined: rows that were quarantined.
        seconds: wall-clock time.
    """

    step: str
    rows_in: int = 0
    rows_out: int = 0
    rows_quarantined: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class RecordedScore:
    """A measure of a system over all queries or nights of a run.

    Attributes:
        system: name of the system.
        measure: name of the measure.
        value: a fraction.
        low: lower end of its interval; None if unknown.
        high: upper end of its interval; None if unknown.
    """

    system: str
    measure: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class RunRecord:
    """The state of a run at one time.

    Attributes:
        run_id: the run.
        status: running, succeeded, failed, stopped, published or collected.
        job: the job that recorded it.
        config_hash: SHA-256 of the resolved settings.
        config: the resolved settings, YAML.
        code_version: package version, and hash of the package's sources.
        attempt: number of the attempt, greater than those of all earlier attempts at any run of the lake.
        inputs: files that were read.
        steps: row counts and duration of each step.
        tables: the number of rows of each table.
        artifacts: paths of models, reports and prediction files.
        message: reason of the status.
        sequence: order of the records, from 1.
        recorded_at: when, UTC.
        corpus: source format of the files that it is about; empty if it has read none.
        sites: those of its rows, once it has succeeded.
        started_at: start of the attempt, UTC; None in runs of earlier releases.
        ended_at: end of the attempt, before it was published, UTC; None until then.
        scores: measures of the systems, those of the system that the report presents first before all others.
    """

    run_id: str
    status: str
    job: str
    config_hash: str
    config: str
    code_version: str
    attempt: int = 0
    inputs: tuple[InputRecord, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    tables: Mapping[str, int] = field(default_factory=dict)
    artifacts: Mapping[str, str] = field(default_factory=dict)
    message: str | None = None
    sequence: int = 0
    recorded_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    corpus: str = ""
    sites: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    scores: tuple[RecordedScore, ...] = ()

    @property
    def seconds(self) -> float | None:
        """Duration of the attempt; None until it ends."""
        if self.started_at is None or self.ended_at is None:
            return None
        return (self.ended_at - self.started_at).total_seconds()

    @property
    def attempt_name(self) -> str:
        """The name of the attempt's folders, ``RUN.ATTEMPT``."""
        return f"{self.run_id}.{self.attempt}"


def about(record: RunRecord) -> dict[str, Any]:
    """The fields that say what a run is about: those of a run that goes on from it."""
    names = ("corpus", "inputs", "tables", "artifacts", "scores")
    return {name: getattr(record, name) for name in names}


def ended(record: RunRecord, status: str, message: str) -> RunRecord:
    """The record of a run that ends at this moment.

    Args:
        record: of the running run.
        status: succeeded, failed or stopped.
        message: reason of the status.
    """
    moment = datetime.now(UTC)
    return replace(record, status=status, message=message, ended_at=moment, recorded_at=moment)


IN_LAKE = "lake:"
"""Marks the stored path of an artifact in the lake, as in ``lake:runs/r1.2/models/best_a``."""


def to_stored(record: RunRecord, root: str) -> RunRecord:
    """The record in stored form: relative paths of artifacts in the lake, absolute paths of all others.

    Args:
        record: with paths that can be opened from the working directory.
        root: the lake.
    """
    return replace(record, artifacts={name: _stored(path, root) for name, path in record.artifacts.items()})


def from_stored(record: RunRecord, root: str) -> RunRecord:
    """The record with paths that can be opened from the working directory.

    Args:
        record: in stored form.
        root: the current location of the lake.
    """
    return replace(
        record, artifacts={name: _located(path, root.rstrip("/")) for name, path in record.artifacts.items()}
    )


def _stored(path: str, root: str) -> str:
    absolute, lake = _absolute(path), f"{_absolute(root).rstrip('/')}/"
    return IN_LAKE + absolute.removeprefix(lake) if absolute.startswith(lake) else absolute


def _located(path: str, root: str) -> str:
    return f"{root}/{path.removeprefix(IN_LAKE)}" if path.startswith(IN_LAKE) else path


def _absolute(location: str) -> str:
    return location if is_remote(location) else os.path.abspath(location)
