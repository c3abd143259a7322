"""An inspection in the terminal: one table of all sites, then what is notable of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cqa_spark.reports.inspection import wording
from cqa_spark.reports.inspection.content import Counted, Inspection, SiteFacts
from cqa_spark.reports.inspection.tables import new_table, site_row, table_name, warning
from cqa_spark.reports.wording import MISSING, count, counted
from cqa_spark.terminal import Column, Styled, Terminal, TextTable

SITES = 20
"""Sites that are shown one by one; the table has all of them."""

NAMES = 10
"""Tags, columns or attributes that one line names."""

RAW_CHARACTERS = 120


def print_inspection(inspection: Inspection, terminal: Terminal) -> None:
    """Print the tables of every site, and below the figures of the largest ones."""
    run = inspection.run
    written = f"{run.recorded_at:%Y-%m-%d %H:%M}"
    terminal.line(f"{run.lake}, run {run.run_id} of {written}")
    terminal.table(_overview(inspection))
    for site in inspection.sites[:SITES]:
        terminal.line()
        terminal.line(site.site, style="bold")
        terminal.table(_figures(site))
        if site.files:
            terminal.table(_files(site))
    if hidden := len(inspection.sites[SITES:]):
        terminal.line()
        terminal.line(f"{counted(hidden, 'smaller site')} not shown one by one")


def _overview(inspection: Inspection) -> TextTable:
    table = new_table("site and table", ("rows", "quarantined", "orphans"), "unknown attributes")
    for site in inspection.sites:
        table.add_row(site_row(site.site))
        for each in site.tables:
            table.add_row(
                table_name(each.name),
                count(each.rows),
                warning(each.quarantined),
                warning(each.orphans),
                _listed([attribute.name for attribute in each.unknown_attributes], limit=5),
                style="" if each.rows else "dim",
            )
        if site.quarantined_elsewhere:
            table.add_row(table_name("(files of several tables)"), "", warning(site.quarantined_elsewhere))
    return table


def _figures(site: SiteFacts) -> TextTable:
    table = TextTable(Column("", whole=True, style="dim"), "", has_headings=False)
    for name, lines in _told(site):
        if any(lines):
            table.add_row(name, "\n".join(filter(None, lines)))
    return table


def _told(site: SiteFacts) -> Iterator[tuple[str, Sequence[str]]]:
    threads = site.threads
    yield "posts, comments", [wording.period(site.first, site.last)]
    if threads is not None:
        yield "threads", [wording.threads_sentence(site)]
        spreads = (("questions", threads.question_scores), ("answers", threads.answer_scores))
        yield "scores", [f"{kind}: {wording.spread(scores)}" for kind, scores in spreads if scores]
    yield "top tags", [_listed([f"{tag.name} {count(tag.rows)}" for tag in site.tags])]
    yield "nulls", [f"{table.name}: {_nulls(table.nulls, table.rows)}" for table in site.tables if table.nulls]
    yield (
        "orphans",
        [f"{each.table}.{each.reference} → {each.missing_in}: {count(each.rows)}" for each in site.orphans],
    )
    yield (
        "drift",
        [
            f"{table.name}: {_listed([f'{each.name} {count(each.rows)}' for each in table.unknown_attributes])}"
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


def _nulls(nulls: Sequence[Counted], rows: int) -> str:
    most_first = sorted(nulls, key=lambda each: (-each.rows, each.name))
    return ", ".join(f"{each.name} {wording.percent(each.rows, rows)}" for each in most_first)


def _files(site: SiteFacts) -> TextTable:
    shown, all_files = len(site.files), site.file_totals.files
    caption = f"{shown} of {counted(all_files, 'file')}" if all_files > shown else ""
    table = new_table("file", ("lines", "rows", "quarantined", "not rows"), "table", "ends", caption=caption)
    for file in site.files:
        lines = MISSING if file.lines is None else count(file.lines)
        table.add_row(
            wording.file_name(file.path),
            lines if file.adds_up else Styled(f"{lines} (does not add up)", "red"),
            count(file.rows_out),
            warning(file.rows_quarantined),
            MISSING if file.not_rows is None else count(file.not_rows),
            file.table or "(several)",
            Styled("truncated", "red") if file.is_complete is False else "complete" if file.is_complete else MISSING,
        )
    return table


def _listed(names: Sequence[str], limit: int = NAMES) -> str:
    more = f" and {count(len(names) - limit)} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
