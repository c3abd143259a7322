"""The facts of the sites of a run; a bounded number of rows per site reaches the driver."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.reports.section import Reported
from cqa_spark.reports.sections.inspection.contents import (
    Counted,
    Month,
    Nulls,
    ScoreCount,
    TableFacts,
    ThreadCounts,
    collect_drift,
    collect_months,
    collect_scores,
    collect_tables,
    collect_tags,
    first_rows,
    grouped,
)

SITES = 20
"""Number of sites shown in detail, those with the most rows; the table of tables lists all sites."""

REASONS = 20
FILES = 20
RAW_CHARACTERS = 300


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
        orphans: dangling references (entries of ``ORPHANS``), most rows first.
        refusals: reasons for quarantine, most frequent first.
        file_totals: totals over all files.
        files: entries of ``INGESTED_FILES``: truncated files first, then those with the most quarantined records.
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
    orphans: tuple[Entry, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    file_totals: FileTotals = NO_FILES
    files: tuple[Entry, ...] = ()

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
        orphans=sum(entry["rows"] for entry in facts.get("orphans", ()) if entry["table_name"] == name),
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
        tuple(row.question_scores or ()),
        tuple(row.answer_scores or ()),
        row.deleted,
        row.invented,
    )


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
    files = grouped(run.files, lambda entry: entry)
    most_rows = sorted(run.orphans, key=lambda entry: (-entry["rows"], entry["table_name"], entry["reference"]))
    facts: dict[str, Mapping[str, Any]] = {
        "orphans": grouped(most_rows, lambda entry: entry),
        "file_totals": {site: _totals(entries) for site, entries in files.items()},
        "files": {site: _first_files(entries) for site, entries in files.items()},
    }
    if (posts := run.community.get("posts")) is not None:
        facts |= {"scores": collect_scores(posts), "months": collect_months(posts), "tags": collect_tags(posts)}
    quarantined: Mapping[str, Mapping[str | None, int]] = {}
    if run.quarantine is not None:
        quarantined = _quarantined(run.quarantine, run.files)
        facts["refusals"] = _refusals(run.quarantine)
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


def _quarantined(quarantine: DataFrame, files: Sequence[Entry]) -> dict[str, Counter[str | None]]:
    """Number of quarantined records by site and table; the table is None for files that fill several tables.

    Args:
        quarantine: the table ``quarantine``.
        files: entries of ``INGESTED_FILES``.
    """
    filled = {(entry["site"], entry["source_file"]): entry["table_name"] for entry in files}
    by_site: dict[str, Counter[str | None]] = defaultdict(Counter)
    for row in quarantine.groupBy("site", "source_file").agg(F.count(F.lit(1)).alias("rows")).collect():
        by_site[row.site][filled.get((row.site, row.source_file))] += row.rows
    return by_site


def _refusals(quarantine: DataFrame) -> dict[str, tuple[Refusal, ...]]:
    """The reasons for quarantine of each site, most frequent first.

    Reasons may contain ids or offsets, so they are grouped without their numbers.
    """
    position = F.struct("source_file", "byte_offset")
    raw = F.substring("raw", 1, RAW_CHARACTERS).alias("raw")
    example = F.struct("source_file", "byte_offset", F.col("reason").alias("example_reason"), raw)
    counted = quarantine.groupBy("site", F.regexp_replace("reason", r"\d+", "…").alias("kind")).agg(
        F.count(F.lit(1)).alias("rows"),
        F.when(F.min("reason") == F.max("reason"), F.min("reason")).alias("only_reason"),
        F.min_by(example, position).alias("example"),
    )
    named = counted.select("site", F.coalesce("only_reason", "kind").alias("reason"), "rows", "example")
    order = (F.desc("rows"), "reason")
    rows = first_rows(named, REASONS, *order).orderBy("site", *order).collect()
    return grouped(rows, lambda row: Refusal(reason=row.reason, rows=row.rows, **row.example.asDict()))


def _totals(files: Sequence[Entry]) -> FileTotals:
    lines = [entry["lines"] for entry in files]
    return FileTotals(
        files=len(files),
        incomplete=sum(entry["is_complete"] is False for entry in files),
        lines=None if None in lines else sum(lines),
        rows_out=sum(entry["rows_out"] for entry in files),
        rows_quarantined=sum(entry["rows_quarantined"] for entry in files),
        not_rows=sum(entry["not_rows"] or 0 for entry in files),
        rows_forgotten=sum(map(forgotten, files)),
    )


def _first_files(files: Sequence[Entry]) -> tuple[Entry, ...]:
    """Truncated files first, then those with the most quarantined records, then the largest."""

    def order(entry: Entry) -> tuple[bool, bool, int, int, str]:
        is_complete = entry["is_complete"]
        return (
            is_complete is None,
            bool(is_complete),
            -entry["rows_quarantined"],
            -entry["rows_in"],
            entry["source_file"],
        )

    return tuple(sorted(files, key=order)[:FILES])


def adds_up(file: Entry) -> bool:
    """Whether the record counts of a file agree with its lines; true if lines are not counted."""
    records = file["rows_out"] + file["rows_quarantined"] + forgotten(file) + (file["not_rows"] or 0)
    return file["lines"] is None or bool(file["lines"] == records)
