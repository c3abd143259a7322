"""What is known of the run itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class InputFile:
    """A file that the run read.

    Attributes:
        path: where it lies.
        split: the part that it was given as, such as train.
        bytes: its size; None where the storage does not say.
        sha256: hash of its bytes, hexadecimal; None where it was not taken.
    """

    path: str
    split: str
    bytes: int | None
    sha256: str | None


@dataclass(frozen=True)
class Step:
    """What one step of the run read and wrote, in rows, and its wall-clock time in seconds."""

    name: str
    rows_in: int
    rows_out: int
    rows_quarantined: int
    seconds: float


@dataclass(frozen=True)
class RunFacts:
    """What is known of the run itself; ``config`` is the resolved YAML, ``config_hash`` its SHA-256."""

    run_id: str
    recorded_at: datetime
    code_version: str
    config_hash: str
    config: str
    inputs: tuple[InputFile, ...]
    steps: tuple[Step, ...]

    @property
    def seconds(self) -> float:
        """Wall-clock time of all steps."""
        return sum(step.seconds for step in self.steps)
