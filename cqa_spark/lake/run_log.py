"""The run log: one small file per record, numbered without gaps.

The file name holds the sequence number, the status and the run, so that a listing answers most queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from urllib.parse import quote, unquote

from cqa_spark.errors import AnotherWriter, InputError
from cqa_spark.lake.artifact_paths import from_stored, to_stored
from cqa_spark.lake.journal import FOLDER, decode, encode, read_all
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.runs import RUNS
from cqa_spark.object_store.store import AlreadyThere, ObjectStore, damaged, missing

_FOLDER = f"{FOLDER}/{RUNS.name}/"
_SUFFIX = ".parquet"
_NAME = re.compile(r"(?P<sequence>\d{10})\.(?P<status>[a-z]+)\.(?P<run_id>.+)\.parquet")


@dataclass(frozen=True)
class _Listed:
    """The fields in the name of a record's file."""

    sequence: int
    status: str
    run_id: str

    @property
    def key(self) -> str:
        return f"{_FOLDER}{self.sequence:010d}.{self.status}.{quote(self.run_id, safe='')}{_SUFFIX}"


class RunLog:
    """Reads and appends the records of one lake; needs no Spark.

    Args:
        objects: the lake's objects.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def append(self, record: RunRecord) -> RunRecord:
        """Append a record and return it with its sequence number.

        Only the holder of the lake's lease appends; otherwise records of different runs or statuses could get the same
        number.

        Raises:
            AnotherWriter: another process has just added the same record.
        """
        numbered = replace(record, sequence=self.next_sequence())
        try:
            stored = to_stored(numbered, self._objects.root)
            self._objects.create(_Listed(numbered.sequence, numbered.status, numbered.run_id).key, _bytes(stored))
        except AlreadyThere as error:
            raise AnotherWriter(
                f"{self._objects.root}: another process is writing the run log",
                "wait until it has finished and run the job again",
            ) from error
        return numbered

    def next_sequence(self) -> int:
        """The number of the next record."""
        return len(self._listed()) + 1

    def restore(self, records: Iterable[RunRecord]) -> None:
        """Write stored records under their sequence numbers, replacing existing ones."""
        for record in records:
            self._objects.put(_Listed(record.sequence, record.status, record.run_id).key, _bytes(record))

    def records(self, run_id: str | None = None, status: str | None = None) -> list[RunRecord]:
        """The records in order, optionally of one run or with one status."""
        wanted = [each for each in self._listed() if run_id in (None, each.run_id) and status in (None, each.status)]
        return self._read(wanted)

    def newest(self) -> list[RunRecord]:
        """The newest record of every run, in order of the runs' first records."""
        by_run = {listed.run_id: listed for listed in self._listed()}
        return self._read(list(by_run.values()))

    def append_published(self, record: RunRecord) -> None:
        """Append the record of a publication; a no-op if it is already the last publication."""
        published = [listed for listed in self._listed() if listed.status == "published"]
        if not published or self._read(published[-1:])[0].recorded_at != record.recorded_at:
            self.append(record)

    def close_abandoned(self, reason: str) -> None:
        """Record runs without a recorded end as failed.

        Args:
            reason: the record's message.
        """
        newest = {listed.run_id: listed for listed in self._listed()}
        for record in self._read([listed for listed in newest.values() if listed.status == "running"]):
            self.append(replace(record, status="failed", message=reason, recorded_at=datetime.now(UTC)))

    def last_success(self, run_id: str) -> RunRecord | None:
        """The newest record in which the run's tables were complete."""
        complete = [r for r in self._listed() if r.run_id == run_id and r.status in ("succeeded", "published")]
        return self._read(complete[-1:])[0] if complete else None

    def require_success(self, run_id: str) -> RunRecord:
        """Like ``last_success``, for runs that must exist.

        Raises:
            InputError: no such run succeeded in this lake; the message names those that did.
        """
        record = self.last_success(run_id)
        if record is None:
            known = sorted({listed.run_id for listed in self._listed() if listed.status == "succeeded"})
            raise InputError(
                f"no run {run_id} has succeeded in {self._objects.root}",
                f"choose one of: {', '.join(known)}" if known else "start one with: cqa run --config FILE",
            )
        return record

    def is_empty(self) -> bool:
        """Whether nothing was ever recorded."""
        return next(iter(self._objects.keys(_FOLDER)), None) is None

    def _listed(self) -> list[_Listed]:
        """The records by their names, in order.

        Raises:
            ContractError: the log has a gap, or a file that is no record.
        """
        listed = []
        for number, key in enumerate(self._objects.keys(_FOLDER), start=1):
            if not (name := _NAME.fullmatch(key.removeprefix(_FOLDER))):
                raise damaged(self._objects.root, key, "its name is not that of a record of the run log")
            if int(name["sequence"]) != number:
                raise missing(self._objects.root, f"{_FOLDER}{number:010d}.….parquet", f"the next record is {key}")
            listed.append(_Listed(number, name["status"], unquote(name["run_id"])))
        return listed

    def _read(self, listed: list[_Listed]) -> list[RunRecord]:
        files = read_all(self._objects, [each.key for each in listed])
        return [from_stored(_record(data, self._objects.root, key), self._objects.root) for key, data in files]


def _bytes(record: RunRecord) -> bytes:
    return encode(RUNS, RUNS.conform([asdict(record)]))


def _record(data: bytes, root: str, key: str) -> RunRecord:
    entries = decode(RUNS, data, root, key)
    if len(entries) != 1:
        raise damaged(root, key, f"it has {len(entries)} records instead of one")
    return RunRecord.from_entry(entries[0])
