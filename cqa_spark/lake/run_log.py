"""The run log: one small file per record, numbered without gaps; records are never removed.

The file name holds the sequence number, the status, the run and its attempt, so that a listing answers most queries.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cqa_spark.errors import AnotherWriter, InputError
from cqa_spark.lake.lake import RUNS
from cqa_spark.object_store.store import AlreadyThere, ObjectStore, damaged, first_mistake, missing
from cqa_spark.settings.values import is_remote


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
        attempt: number of the attempt, greater than the numbers of all earlier attempts at any run of the lake.
        inputs: files that were read.
        steps: row counts and duration of each step.
        tables: the number of rows of each table.
        artifacts: paths of models, reports and prediction files.
        message: reason of the status.
        sequence: order of the records, from 1.
        recorded_at: when, UTC.
        corpus: source format of the files that it is about; empty if it has read none.
        sites: the sites of its rows, once it has succeeded.
        started_at: start of the attempt, UTC; None in runs of earlier releases.
        ended_at: end of the attempt, before it was published, UTC; None until then.
        scores: measures of the systems; the system that the report presents first comes first.
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
    """The fields that a run which continues from this one shares with it."""
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


FOLDER = f"{RUNS}/log/"
_NAME = re.compile(r"(?P<sequence>\d{10})\.(?P<status>[a-z]+)\.(?P<run_id>.+)\.(?P<attempt>\d+)\.json")
_RECORD = TypeAdapter(RunRecord)
_READERS = 8


@dataclass(frozen=True)
class ListedRecord:
    """The fields in the name of a record's file.

    Attributes:
        sequence: order of the records.
        status: of the run.
        run_id: the run.
        attempt: number of the attempt.
    """

    sequence: int
    status: str
    run_id: str
    attempt: int

    @classmethod
    def of(cls, record: RunRecord) -> ListedRecord:
        """The fields of a record."""
        return cls(record.sequence, record.status, record.run_id, record.attempt)

    @property
    def attempt_name(self) -> str:
        """The name of the attempt's folders, ``RUN.ATTEMPT``."""
        return f"{self.run_id}.{self.attempt}"

    @property
    def key(self) -> str:
        """The key of the record's file."""
        return f"{FOLDER}{self.sequence:010d}.{self.status}.{self.attempt_name}.json"


class RunLog:
    """Reads and appends the records of one lake; needs no Spark.

    Args:
        objects: the lake's objects.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def append(self, record: RunRecord) -> RunRecord:
        """Append a record and return it with its sequence number.

        Only the holder of the lake's lease appends.

        Raises:
            AnotherWriter: another process has just added the same record.
        """
        numbered = replace(record, sequence=self.next_sequence())
        self.complete(numbered)
        return numbered

    def complete(self, record: RunRecord) -> None:
        """Append a record that has its number already.

        Raises:
            AnotherWriter: another process has just added a record of this number.
        """
        try:
            data = _RECORD.dump_json(to_stored(record, self._objects.root), indent=2)
            self._objects.create(ListedRecord.of(record).key, data)
        except AlreadyThere as error:
            raise AnotherWriter(
                f"{self._objects.root}: another process is writing the run log",
                "wait until it has finished and run the job again",
            ) from error

    def next_sequence(self) -> int:
        """The number of the next record."""
        return max((listed.sequence for listed in self._listed()), default=0) + 1

    def listed(self, *statuses: str) -> list[ListedRecord]:
        """The records with one of some statuses in order, by their names alone."""
        return [listed for listed in self._listed() if listed.status in statuses]

    def records(self, run_id: str | None = None, status: str | None = None) -> list[RunRecord]:
        """The records in order, optionally of one run or with one status."""
        listed = [
            listed for listed in self._listed() if run_id in (None, listed.run_id) and status in (None, listed.status)
        ]
        return self._read(listed)

    def read(self, listed: ListedRecord) -> RunRecord:
        """A record by its name."""
        return self._record(listed.key)

    def newest(self) -> list[RunRecord]:
        """The newest record of every run, in order of the runs' first records."""
        by_run = {listed.run_id: listed for listed in self._listed()}
        return self._read(list(by_run.values()))

    def has(self, record: RunRecord) -> bool:
        """Whether this numbered record was appended."""
        return self._objects.read(ListedRecord.of(record).key) is not None

    def close_abandoned(self, reason: str) -> None:
        """Record runs without a recorded end as failed.

        Args:
            reason: the record's message.
        """
        newest = {listed.run_id: listed for listed in self._listed()}
        for record in self._read([listed for listed in newest.values() if listed.status == "running"]):
            self.append(replace(record, status="failed", message=reason, recorded_at=datetime.now(UTC)))

    def last_success(self, run_id: str) -> RunRecord | None:
        """The record of the run's last successful attempt whose files were not collected."""
        complete = [listed for listed in self._complete() if listed.run_id == run_id]
        return self._read(complete[-1:])[0] if complete else None

    def require_success(self, run_id: str) -> RunRecord:
        """Like ``last_success``, for runs that must exist.

        Raises:
            InputError: no such run succeeded in this lake, or it was collected; the message names others.
        """
        record = self.last_success(run_id)
        if record is None:
            others = sorted({listed.run_id for listed in self._complete()})
            is_collected = any(listed.run_id == run_id for listed in self.listed("collected"))
            root = self._objects.root
            raise InputError(
                f"run {run_id} of {root} was collected" if is_collected else f"no run {run_id} has succeeded in {root}",
                f"choose one of: {', '.join(others)}" if others else "start one with: cqa run --config FILE",
            )
        return record

    def is_empty(self) -> bool:
        """Whether nothing was ever recorded."""
        return next(iter(self._objects.keys(FOLDER)), None) is None

    def _complete(self) -> list[ListedRecord]:
        """The records of successful attempts whose files were not collected."""
        records = self._listed()
        collected = {record.attempt_name for record in records if record.status == "collected"}
        return [record for record in records if record.status == "succeeded" and record.attempt_name not in collected]

    def _listed(self) -> list[ListedRecord]:
        """The records by their names, in order.

        A process that lost the lease without knowing may have appended a record beside another of the same number.

        Raises:
            ContractError: the log has a gap, or a file that is no record.
        """
        listed: list[ListedRecord] = []
        for key in self._objects.keys(FOLDER):
            if not (name := _NAME.fullmatch(key.removeprefix(FOLDER))):
                raise damaged(self._objects.root, key, "its name is not that of a record of the run log")
            record = ListedRecord(int(name["sequence"]), name["status"], name["run_id"], int(name["attempt"]))
            last = listed[-1].sequence if listed else 0
            if record.sequence not in (last, last + 1):
                raise missing(self._objects.root, f"{FOLDER}{last + 1:010d}.….json", f"the next record is {key}")
            listed.append(record)
        return listed

    def _read(self, listed: list[ListedRecord]) -> list[RunRecord]:
        with ThreadPoolExecutor(_READERS) as readers:
            return list(readers.map(self._record, [record.key for record in listed]))

    def _record(self, key: str) -> RunRecord:
        stored = self._objects.read(key)
        if stored is None:
            raise missing(self._objects.root, key, "it was removed while it was read")
        try:
            return from_stored(_RECORD.validate_json(stored.data), self._objects.root)
        except ValidationError as error:
            raise damaged(self._objects.root, key, first_mistake(error)) from error
