"""Records read and quarantined, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FileRows:
    """Records of one input file; those that are neither out nor quarantined are forgotten."""

    site: str
    source_file: str
    split: str
    rows_in: int
    rows_out: int
    rows_quarantined: int


@dataclass(frozen=True)
class QuarantineReason:
    """A reason for quarantine, and the number of its records."""

    reason: str
    rows: int


@dataclass(frozen=True)
class QuarantineSample:
    """The first record that was quarantined for a reason; ``raw`` is the beginning of its text."""

    source_file: str
    byte_offset: int
    reason: str
    raw: str


@dataclass(frozen=True)
class Intake:
    """The records read and quarantined; totals are over all files, lists have a bounded length."""

    rows_in: int = 0
    rows_out: int = 0
    rows_quarantined: int = 0
    file_count: int = 0
    files: tuple[FileRows, ...] = ()
    reasons: tuple[QuarantineReason, ...] = ()
    samples: tuple[QuarantineSample, ...] = ()

    @property
    def rows_forgotten(self) -> int:
        """Number of records about users and posts that the lake has forgotten."""
        return self.rows_in - self.rows_out - self.rows_quarantined
