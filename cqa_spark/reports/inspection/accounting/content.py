"""Input files, quarantined records and orphans, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OrphanReference:
    """Number of rows of a table with a reference to missing rows of another table."""

    table: str
    reference: str
    missing_in: str
    rows: int


@dataclass(frozen=True)
class Refusal:
    """A reason for quarantine, with the first record as an example.

    Attributes:
        reason: one sentence; numbers in which the records differ are replaced by an ellipsis.
        rows: number of quarantined records.
        source_file: file of the example.
        byte_offset: offset of the example in its file, in bytes from 0.
        example_reason: reason of the example.
        raw: beginning of the example's text.
    """

    reason: str
    rows: int
    source_file: str
    byte_offset: int
    example_reason: str
    raw: str


@dataclass(frozen=True)
class FileFacts:
    """One input file; if lines are counted, lines = rows_out + rows_quarantined + rows_forgotten + not_rows.

    Attributes:
        path: location of the file.
        table: the table that it fills; None if it fills several.
        lines: number of lines; None if records are not lines.
        rows_out: number of ingested records.
        rows_quarantined: number of quarantined records.
        not_rows: number of lines without a record.
        is_complete: whether the file is not truncated; None if unknown.
        rows_forgotten: number of records that the lake has forgotten.
    """

    path: str
    table: str | None
    lines: int | None
    rows_out: int
    rows_quarantined: int
    not_rows: int | None
    is_complete: bool | None
    rows_forgotten: int = 0

    @property
    def adds_up(self) -> bool:
        """Whether the record counts agree with the number of lines; true if lines are not counted."""
        counted = self.rows_out + self.rows_quarantined + self.rows_forgotten + (self.not_rows or 0)
        return self.lines is None or self.lines == counted


@dataclass(frozen=True)
class FileTotals:
    """Totals over all input files of a site; ``lines`` is None unless they are counted in every file."""

    files: int = 0
    incomplete: int = 0
    lines: int | None = None
    rows_out: int = 0
    rows_quarantined: int = 0
    not_rows: int = 0
    rows_forgotten: int = 0


NO_FILES = FileTotals()


@dataclass(frozen=True)
class SiteFiles:
    """The input files of a site.

    Attributes:
        totals: totals over all files.
        files: truncated files first, then those with the most quarantined records; a bounded number.
    """

    totals: FileTotals = NO_FILES
    files: tuple[FileFacts, ...] = ()
