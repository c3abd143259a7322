"""Prints an inspection: one table of all sites, then the facts of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable
from cqa_spark.reports.inspection import wording
from cqa_spark.reports.inspection.content import Inspection, SiteFacts
from cqa_spark.reports.inspection.tables.content import Nulls
from cqa_spark.reports.kit.console import group_row, member_row, new_table, warning
from cqa_spark.reports.kit.numbers import MISSING, count, counted, percent
from cqa_spark.reports.kit.text import file_name, listed

SITES = 20
"""Number of sites printed in detail; the table lists all sites."""

NAMES = 10
"""Largest number of names in a list."""

RAW_CHARACTERS = 120
"""Number of characters shown of a quarantined record."""


def print_inspection(inspection: Inspection, terminal: Terminal) -> None:
    """Print the table of all sites, and the facts of the largest ones."""
    run = inspection.run
    terminal.line(f"{run.lake}, run {run.run_id} of {run.recorded_at:%Y-%m-%d %H:%M}")
    terminal.table(_overview(inspection))
    for site in inspection.sites[:SITES]:
        terminal.line()
        terminal.line(site.site, style="bold")
        terminal.table(_facts(site))
        if site.files:
            terminal.table(_files(site))
    if hidden := len(inspection.sites[SITES:]):
        terminal.line()
        terminal.line(f"{counted(hidden, 'smaller site')} not shown in detail")


def _overview(inspection: Inspection) -> TextTable:
    table = new_table("site and table", ("rows", "quarantined", "orphans"), "unknown attributes")
    for site in inspection.sites:
        table.add_row(group_row(site.site))
        for each in site.tables:
            table.add_row(
                member_row(each.name),
                count(each.rows),
                warning(each.quarantined),
                warning(each.orphans),
                listed([attribute.name for attribute in each.unknown_attributes], limit=5),
                style="" if each.rows else "dim",
            )
        if site.quarantined_elsewhere:
            table.add_row(member_row("(files of several tables)"), "", warning(site.quarantined_elsewhere))
    return table


def _facts(site: SiteFacts) -> TextTable:
    table = TextTable(Column("", whole=True, style="dim"), "", has_headings=False)
    for name, lines in _lines(site):
        if any(lines):
            table.add_row(name, "\n".join(filter(None, lines)))
    return table


def _lines(site: SiteFacts) -> Iterator[tuple[str, Sequence[str]]]:
    threads = site.threads
    yield "posts, comments", [wording.period(site)]
    if threads is not None:
        yield "threads", [wording.threads_sentence(site)]
        spreads = (("questions", threads.question_scores), ("answers", threads.answer_scores))
        yield "scores", [f"{kind}: {wording.spread(scores)}" for kind, scores in spreads if scores]
    yield "top tags", [listed([f"{tag.name} {count(tag.rows)}" for tag in site.tags], NAMES)]
    yield "nulls", [f"{table.name}: {_nulls(table.nulls)}" for table in site.tables if table.nulls]
    yield "not in the files", [f"{table.name}: {', '.join(table.absent)}" for table in site.tables if table.absent]
    yield "orphans", [f"{each.table}.{each.reference} → {each.missing_in}: {count(each.rows)}" for each in site.orphans]
    yield (
        "unknown attributes",
        [
            f"{table.name}: {listed([f'{each.name} {count(each.rows)}' for each in table.unknown_attributes], NAMES)}"
            for table in site.tables
            if table.unknown_attributes
        ],
    )
    yield (
        "quarantine",
        [
            f"{counted(each.rows, 'record')}: {each.reason}\n    {wording.place(each)}: {each.raw[:RAW_CHARACTERS]}"
            for each in site.refusals
        ],
    )
    yield "files", [wording.files_sentence(site.file_totals) if site.file_totals.files else ""]


def _nulls(nulls: Sequence[Nulls]) -> str:
    most_first = sorted(nulls, key=lambda each: (-each.rows / each.of, each.name))
    return ", ".join(f"{each.name} {percent(each.rows, each.of)}" for each in most_first)


def _files(site: SiteFacts) -> TextTable:
    hidden = site.file_totals.files > len(site.files)
    caption = f"{len(site.files)} of {counted(site.file_totals.files, 'file')}" if hidden else ""
    table = new_table("file", ("lines", "rows", "quarantined", "no record"), "table", "status", caption=caption)
    for file in site.files:
        lines = MISSING if file.lines is None else count(file.lines)
        table.add_row(
            file_name(file.path),
            lines if file.adds_up else Styled(f"{lines} (counts disagree)", "red"),
            count(file.rows_out),
            warning(file.rows_quarantined),
            MISSING if file.not_rows is None else count(file.not_rows),
            file.table or "(several)",
            _status(file.is_complete),
        )
    return table


def _status(is_complete: bool | None) -> str | Styled:
    if is_complete is None:
        return MISSING
    return "complete" if is_complete else Styled("truncated", "red")
