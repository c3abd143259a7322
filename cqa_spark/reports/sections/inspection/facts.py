"""The facts of the sites of a run; a bounded number of rows per site reaches the driver."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, Row

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.reports.section import Reported
from cqa_spark.reports.sections.inspection.accounting import (
    NO_FILES,
    FileFacts,
    FileTotals,
    OrphanReference,
    Refusal,
    SiteFiles,
    collect_quarantined,
    collect_refusals,
    files_by_site,
    orphans_by_site,
)
from cqa_spark.reports.sections.inspection.posts import (
    Month,
    Quartiles,
    ScoreCount,
    ThreadCounts,
    collect_months,
    collect_scores,
    collect_tags,
)
from cqa_spark.reports.sections.inspection.tables import Counted, Nulls, TableFacts, collect_drift, collect_tables

SITES = 20
"""Number of sites shown in detail, those with the most rows; the table of tables lists all sites."""


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
    threads: ThreadCounts | None = None
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
class Inspection:
    """The tables of one run, by site; sites with the most rows come first."""

    lake: str
    record: RunRecord
    sites: tuple[SiteFacts, ...]

    @property
    def detailed(self) -> tuple[SiteFacts, ...]:
        """The sites that are shown in detail."""
        return self.sites[:SITES]


_DATED_BY = ("posts", "comments")
"""Tables that define the period of a site; accounts may be older, and edits and badges continue after the last post."""


NO_SITE_FILES = SiteFiles()


@dataclass(frozen=True)
class SiteRows:
    """What was counted for one site; rows are documented where they are counted."""

    summaries: Sequence[Row] = ()
    drift: Sequence[Row] = ()
    scores: Sequence[Row] = ()
    months: Sequence[Row] = ()
    tags: Sequence[Row] = ()
    refusals: Sequence[Row] = ()
    quarantined: Mapping[str | None, int] = field(default_factory=dict)
    orphans: Sequence[OrphanReference] = ()
    files: SiteFiles = NO_SITE_FILES


def site_facts(site: str, rows: SiteRows, tables: Iterable[str]) -> SiteFacts:
    """Combine the facts of a site.

    Args:
        site: name of the site.
        rows: its counted rows.
        tables: all tables that the run wrote, in display order.
    """
    names = tuple(tables)
    dated = [row for row in rows.summaries if row.table in _DATED_BY and row.first is not None]
    return SiteFacts(
        site=site,
        tables=tuple(_table_facts(name, rows) for name in names),
        quarantined_elsewhere=sum(number for table, number in rows.quarantined.items() if table not in names),
        first=min((row.first for row in dated), default=None),
        last=max((row.last for row in dated), default=None),
        threads=next((_threads(row) for row in rows.summaries if row.table == "posts"), None),
        scores=tuple(ScoreCount(row.score, row.questions, row.answers) for row in rows.scores),
        months=tuple(Month(row.month, row.questions, row.answers) for row in rows.months),
        tags=tuple(Counted(row.tag, row.rows) for row in rows.tags),
        orphans=tuple(rows.orphans),
        refusals=tuple(Refusal(reason=row.reason, rows=row.rows, **row.example.asDict()) for row in rows.refusals),
        file_totals=rows.files.totals,
        files=rows.files.files,
    )


def _table_facts(name: str, rows: SiteRows) -> TableFacts:
    summary = next((row for row in rows.summaries if row.table == name), None)
    orphans: Counter[str] = Counter()
    for reference in rows.orphans:
        orphans[reference.table] += reference.rows
    empty = summary.nulls if summary else ()
    return TableFacts(
        name=name,
        rows=summary.rows if summary else 0,
        quarantined=rows.quarantined.get(name, 0),
        orphans=orphans[name],
        first=summary.first if summary else None,
        last=summary.last if summary else None,
        nulls=tuple(Nulls(nulls.column, nulls.rows, nulls.of) for nulls in empty if nulls.rows < nulls.of),
        absent=tuple(sorted(nulls.column for nulls in empty if nulls.rows == nulls.of)),
        unknown_attributes=tuple(Counted(row.attribute, row.rows) for row in rows.drift if row.table == name),
    )


def _threads(row: Row) -> ThreadCounts:
    return ThreadCounts(
        row.questions,
        row.answers,
        row.accepted,
        _quartiles(row.question_scores),
        _quartiles(row.answer_scores),
        row.invented,
    )


def _quartiles(values: Sequence[float] | None) -> Quartiles | None:
    return Quartiles(*values) if values else None


@dataclass(frozen=True)
class InspectedRun(Reported):
    """What an inspection reads.

    Attributes:
        lake: location of the lake.
        record: record of the run.
        community: the community tables (posts, users, votes, …) that the run wrote, by name, in display order; at
            least one.
        quarantine: the table ``quarantine``; None if the run did not write it.
        orphans: entries of ``ORPHANS``.
        files: entries of ``INGESTED_FILES``.
    """

    lake: str
    record: RunRecord
    community: Mapping[str, DataFrame]
    quarantine: DataFrame | None
    orphans: Sequence[Entry]
    files: Sequence[Entry]


def inspection(run: InspectedRun) -> Inspection:
    """The facts of all sites."""
    counts: dict[str, Mapping[str, Any]] = {
        "summaries": collect_tables(run.community),
        "drift": collect_drift(run.community),
        "orphans": orphans_by_site(run.orphans),
        "files": files_by_site(run.files),
    }
    if (posts := run.community.get("posts")) is not None:
        counts["scores"] = collect_scores(posts)
        counts["months"] = collect_months(posts)
        counts["tags"] = collect_tags(posts)
    if run.quarantine is not None:
        counts["quarantined"] = collect_quarantined(run.quarantine, run.files)
        counts["refusals"] = collect_refusals(run.quarantine)
    sites = [
        site_facts(site, SiteRows(**{name: rows[site] for name, rows in counts.items() if site in rows}), run.community)
        for site in set().union(*counts.values())
    ]
    return Inspection(run.lake, run.record, tuple(sorted(sites, key=lambda site: (-site.rows, site.site))))
