"""A record of the run log, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any


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
class RunRecord:
    """The state of a run at one time; the fields are the columns of the journal table ``runs``."""

    run_id: str
    status: str
    job: str
    config_hash: str
    config: str
    code_version: str
    inputs: tuple[InputRecord, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    table_versions: Mapping[str, int] = field(default_factory=dict)
    artifacts: Mapping[str, str] = field(default_factory=dict)
    message: str | None = None
    sequence: int = 0
    recorded_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> RunRecord:
        """Convert an entry of the journal table ``runs``."""
        values = {each.name: entry[each.name] for each in fields(cls)}
        values["inputs"] = tuple(InputRecord(**item) for item in entry["inputs"])
        values["recorded_at"] = entry["recorded_at"].astimezone(UTC)
        values["steps"] = tuple(StepRecord(**item) for item in entry["steps"])
        return cls(**values)
