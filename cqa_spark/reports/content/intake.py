"""What was read, and what could not be understood."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FileRows:
    """Records of one input file: rows_in = rows_out + rows_quarantined."""

    site: str
    source_file: str
    split: str
    rows_in: int
    rows_out: int
    rows_quarantined: int


@dataclass(frozen=True)
class QuarantineReason:
    """Why records were refused, and how many."""

    reason: str
    rows: int


@dataclass(frozen=True)
class QuarantineSample:
    """One refused record; ``raw`` is the beginning of its text."""

    source_file: str
    byte_offset: int
    reason: str
    raw: str


@dataclass(frozen=True)
class Intake:
    """What was read and what could not be understood; totals are over all files, lists have a bounded length."""

    rows_in: int = 0
    rows_out: int = 0
    rows_quarantined: int = 0
    file_count: int = 0
    files: tuple[FileRows, ...] = ()
    reasons: tuple[QuarantineReason, ...] = ()
    samples: tuple[QuarantineSample, ...] = ()
