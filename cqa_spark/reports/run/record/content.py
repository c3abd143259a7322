"""The record of a run, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class InputFile:
    """An input file of the run.

    Attributes:
        path: location of the file.
        split: split that the file was passed as, such as train.
        bytes: size of the file; None if the storage does not report it.
        sha256: hexadecimal hash of its bytes; None if it was not computed.
    """

    path: str
    split: str
    bytes: int | None
    sha256: str | None


@dataclass(frozen=True)
class Step:
    """The number of rows that one step of the run read and wrote, and its wall-clock time in seconds."""

    name: str
    rows_in: int
    rows_out: int
    rows_quarantined: int
    seconds: float


@dataclass(frozen=True)
class RunFacts:
    """The record of the run; ``config`` is the resolved YAML, ``config_hash`` its SHA-256."""

    run_id: str
    recorded_at: datetime
    code_version: str
    config_hash: str
    config: str
    inputs: tuple[InputFile, ...]
    steps: tuple[Step, ...]

    @property
    def seconds(self) -> float:
        """Wall-clock time of all steps, in seconds."""
        return sum(step.seconds for step in self.steps)
