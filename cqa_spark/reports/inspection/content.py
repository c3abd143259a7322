"""The content of an inspection, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cqa_spark.reports.inspection.accounting.content import NO_FILES, FileFacts, FileTotals, OrphanReference, Refusal
from cqa_spark.reports.inspection.posts.content import Month, ScoreCount, Threads
from cqa_spark.reports.inspection.tables.content import Counted, TableFacts


@dataclass(frozen=True)
class SiteFacts:
    """One site; all lists have a bounded length.

    Attributes:
        site: name of the site.
        tables: all tables that the run wrote, in the order of the dumps.
        quarantined_elsewhere: quarantined records from files that fill several tables.
        first: date of the earliest post or comment, ISO 8601, UTC; None if none has a timestamp.
        last: date of the latest post or comment.
        threads: questions and answers; None without posts.
        scores: questions and answers by score, lowest first.
        months: questions and answers by month, earliest first.
        tags: tags with the most posts.
        orphans: dangling references, most rows first.
        refusals: reasons for quarantine, most frequent first.
        file_totals: totals over all files.
        files: truncated files first, then those with the most quarantined records.
    """

    site: str
    tables: tuple[TableFacts, ...]
    quarantined_elsewhere: int = 0
    first: str | None = None
    last: str | None = None
    threads: Threads | None = None
    scores: tuple[ScoreCount, ...] = ()
    months: tuple[Month, ...] = ()
    tags: tuple[Counted, ...] = ()
    orphans: tuple[OrphanReference, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    file_totals: FileTotals = NO_FILES
    files: tuple[FileFacts, ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows of all tables."""
        return sum(table.rows for table in self.tables)

    @property
    def quarantined(self) -> int:
        """Number of quarantined records of all files."""
        return sum(table.quarantined for table in self.tables) + self.quarantined_elsewhere


@dataclass(frozen=True)
class RunShown:
    """The inspected run."""

    lake: str
    run_id: str
    recorded_at: datetime
    code_version: str


@dataclass(frozen=True)
class Inspection:
    """The tables of one run, by site; sites with the most rows come first."""

    run: RunShown
    sites: tuple[SiteFacts, ...]
