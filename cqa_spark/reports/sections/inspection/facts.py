"""The facts of the sites of a run; a bounded number of rows per site reaches the driver."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, Row

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.reports.section import Reported
from cqa_spark.reports.sections.inspection.accounting import (
    NO_FILES,
    FileFacts,
    FileTotals,
    OrphanReference,
    Refusal,
    collect_quarantined,
    collect_refusals,
    file_totals,
    first_files,
    orphans_by_site,
)
from cqa_spark.reports.sections.inspection.contents import (
    Counted,
    Month,
    Nulls,
    Quartiles,
    ScoreCount,
    TableFacts,
    ThreadCounts,
    collect_drift,
    collect_months,
    collect_scores,
    collect_tables,
    collect_tags,
)

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


def _site_facts(
    site: str,
    tables: Iterable[str],
    rows: tuple[Sequence[Row], Sequence[Row]],
    quarantined: Mapping[str | None, int],
    facts: Mapping[str, Any],
) -> SiteFacts:
    """Combine the facts of a site.

    Args:
        site: name of the site.
        tables: all tables that the run wrote, in display order.
        rows: those of ``collect_tables`` and of ``collect_drift``.
        quarantined: number of quarantined records by table.
        facts: further fields of ``SiteFacts``.
    """
    names, summaries = tuple(tables), {row.table: row for row in rows[0]}
    dated = [row for name, row in summaries.items() if name in _DATED_BY and row.first is not None]
    return SiteFacts(
        site=site,
        tables=tuple(_table_facts(name, summaries.get(name), rows[1], quarantined, facts) for name in names),
        quarantined_elsewhere=sum(number for table, number in quarantined.items() if table not in names),
        first=min((row.first for row in dated), default=None),
        last=max((row.last for row in dated), default=None),
        threads=_threads(summaries["posts"]) if "posts" in summaries else None,
        **facts,
    )


def _table_facts(
    name: str,
    summary: Row | None,
    drift: Sequence[Row],
    quarantined: Mapping[str | None, int],
    facts: Mapping[str, Any],
) -> TableFacts:
    empty = summary.nulls if summary else ()
    return TableFacts(
        name=name,
        rows=summary.rows if summary else 0,
        quarantined=quarantined.get(name, 0),
        orphans=sum(reference.rows for reference in facts.get("orphans", ()) if reference.table == name),
        first=summary.first if summary else None,
        last=summary.last if summary else None,
        nulls=tuple(Nulls(nulls.column, nulls.rows, nulls.of) for nulls in empty if nulls.rows < nulls.of),
        absent=tuple(sorted(nulls.column for nulls in empty if nulls.rows == nulls.of)),
        unknown_attributes=tuple(Counted(row.attribute, row.rows) for row in drift if row.table == name),
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
    summaries, drift = collect_tables(run.community), collect_drift(run.community)
    facts: dict[str, Mapping[str, Any]] = {
        "orphans": orphans_by_site(run.orphans),
        "file_totals": file_totals(run.files),
        "files": first_files(run.files),
    }
    if (posts := run.community.get("posts")) is not None:
        facts |= {"scores": collect_scores(posts), "months": collect_months(posts), "tags": collect_tags(posts)}
    quarantined: Mapping[str, Mapping[str | None, int]] = {}
    if run.quarantine is not None:
        quarantined = collect_quarantined(run.quarantine, run.files)
        facts["refusals"] = collect_refusals(run.quarantine)
    sites = [
        _site_facts(
            site,
            run.community,
            (summaries.get(site, ()), drift.get(site, ())),
            quarantined.get(site, {}),
            {name: of_sites[site] for name, of_sites in facts.items() if site in of_sites},
        )
        for site in set().union(summaries, drift, quarantined, *facts.values())
    ]
    return Inspection(run.lake, run.record, tuple(sorted(sites, key=lambda site: (-site.rows, site.site))))
