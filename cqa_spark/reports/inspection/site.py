"""Combines the counts of one site into its facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import Row

from cqa_spark.reports.inspection.accounting.content import OrphanReference, Refusal, SiteFiles
from cqa_spark.reports.inspection.content import SiteFacts
from cqa_spark.reports.inspection.posts.content import Month, Quartiles, ScoreCount, Threads
from cqa_spark.reports.inspection.tables.content import Counted, Nulls, TableFacts

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


def site_facts(site: str, rows: SiteRows, tables: Sequence[str]) -> SiteFacts:
    """Combine the facts of a site.

    Args:
        site: name of the site.
        rows: its counted rows.
        tables: all tables that the run wrote, in display order.
    """
    dated = [row for row in rows.summaries if row.table in _DATED_BY and row.first is not None]
    return SiteFacts(
        site=site,
        tables=tuple(_table_facts(name, rows) for name in tables),
        quarantined_elsewhere=sum(number for table, number in rows.quarantined.items() if table not in tables),
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
    for each in rows.orphans:
        orphans[each.table] += each.rows
    empty = summary.nulls if summary else ()
    return TableFacts(
        name=name,
        rows=summary.rows if summary else 0,
        quarantined=rows.quarantined.get(name, 0),
        orphans=orphans[name],
        first=summary.first if summary else None,
        last=summary.last if summary else None,
        nulls=tuple(Nulls(each.column, each.rows, each.of) for each in empty if each.rows < each.of),
        absent=tuple(sorted(each.column for each in empty if each.rows == each.of)),
        unknown_attributes=tuple(Counted(row.attribute, row.rows) for row in rows.drift if row.table == name),
    )


def _threads(row: Row) -> Threads:
    return Threads(
        row.questions,
        row.answers,
        row.accepted,
        _quartiles(row.question_scores),
        _quartiles(row.answer_scores),
        row.invented,
    )


def _quartiles(values: Sequence[float] | None) -> Quartiles | None:
    return Quartiles(*values) if values else None
