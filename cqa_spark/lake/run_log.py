"""The run log: one small file per record, numbered without gaps; records are never removed.

The file name holds the sequence number, the status, the run and its attempt, so that a listing answers most queries.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pydantic import TypeAdapter, ValidationError

from cqa_spark.errors import AnotherWriter, InputError
from cqa_spark.lake.run_record import RunRecord, from_stored, to_stored
from cqa_spark.lake.storage import RUNS
from cqa_spark.object_store.store import AlreadyThere, ObjectStore, damaged, first_mistake, missing

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
        return max((each.sequence for each in self._listed()), default=0) + 1

    def listed(self, *statuses: str) -> list[ListedRecord]:
        """The records with one of some statuses in order, by their names alone."""
        return [each for each in self._listed() if each.status in statuses]

    def records(self, run_id: str | None = None, status: str | None = None) -> list[RunRecord]:
        """The records in order, optionally of one run or with one status."""
        wanted = [each for each in self._listed() if run_id in (None, each.run_id) and status in (None, each.status)]
        return self._read(wanted)

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
        complete = [each for each in self._complete() if each.run_id == run_id]
        return self._read(complete[-1:])[0] if complete else None

    def require_success(self, run_id: str) -> RunRecord:
        """Like ``last_success``, for runs that must exist.

        Raises:
            InputError: no such run succeeded in this lake, or it was collected; the message names others.
        """
        record = self.last_success(run_id)
        if record is None:
            others = sorted({listed.run_id for listed in self._complete()})
            is_collected = any(each.run_id == run_id and each.status == "collected" for each in self._listed())
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
        listed = self._listed()
        collected = {(each.run_id, each.attempt) for each in listed if each.status == "collected"}
        return [each for each in listed if each.status == "succeeded" and (each.run_id, each.attempt) not in collected]

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
            found = ListedRecord(int(name["sequence"]), name["status"], name["run_id"], int(name["attempt"]))
            last = listed[-1].sequence if listed else 0
            if found.sequence not in (last, last + 1):
                raise missing(self._objects.root, f"{FOLDER}{last + 1:010d}.….json", f"the next record is {key}")
            listed.append(found)
        return listed

    def _read(self, listed: list[ListedRecord]) -> list[RunRecord]:
        with ThreadPoolExecutor(_READERS) as readers:
            return list(readers.map(self._record, [each.key for each in listed]))

    def _record(self, key: str) -> RunRecord:
        stored = self._objects.read(key)
        if stored is None:
            raise missing(self._objects.root, key, "it was removed while it was read")
        try:
            return from_stored(_RECORD.validate_json(stored.data), self._objects.root)
        except ValidationError as error:
            raise damaged(self._objects.root, key, first_mistake(error)) from error
