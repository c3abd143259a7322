"""Prints an inspection: one table of all sites, then the facts of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cqa_spark.reports.inspection import wording
from cqa_spark.reports.inspection.content import Inspection, SiteFacts
from cqa_spark.reports.inspection.tables.content import Counted
from cqa_spark.reports.kit.console import group_row, member_row, new_table, print_line, print_table, warning
from cqa_spark.reports.kit.numbers import MISSING, count, counted, percent
from cqa_spark.reports.kit.text import file_name, listed, visible

SITES = 20
"""Number of sites printed in detail; the table lists all sites."""

NAMES = 10
"""Largest number of names in a list."""

RAW_CHARACTERS = 120
"""Number of characters shown of a quarantined record."""


def print_inspection(inspection: Inspection, console: Console) -> None:
    """Print the table of all sites, and the facts of the largest ones."""
    run = inspection.run
    print_line(f"{run.lake}, run {run.run_id} of {run.recorded_at:%Y-%m-%d %H:%M}", console)
    print_table(_overview(inspection), console)
    for site in inspection.sites[:SITES]:
        console.print()
        console.print(group_row(site.site), soft_wrap=True)
        print_table(_facts(site), console)
        if site.files:
            print_table(_files(site), console)
    if hidden := len(inspection.sites[SITES:]):
        print_line(f"\n{counted(hidden, 'smaller site')} not shown in detail", console)


def _overview(inspection: Inspection) -> Table:
    table = new_table("site and table", ("rows", "quarantined", "orphans"), "unknown attributes")
    for site in inspection.sites:
        table.add_row(group_row(site.site))
        for each in site.tables:
            table.add_row(
                member_row(each.name),
                count(each.rows),
                warning(each.quarantined),
                warning(each.orphans),
                Text(visible(listed([attribute.name for attribute in each.unknown_attributes], limit=5))),
                style="" if each.rows else "dim",
            )
        if site.quarantined_elsewhere:
            table.add_row(member_row("(files of several tables)"), "", warning(site.quarantined_elsewhere))
    return table


def _facts(site: SiteFacts) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, lines in _lines(site):
        if any(lines):
            grid.add_row(name, Text("\n").join(Text(visible(line)) for line in lines if line))
    return grid


def _lines(site: SiteFacts) -> Iterator[tuple[str, Sequence[str]]]:
    threads = site.threads
    yield "posts, comments", [wording.period(site)]
    if threads is not None:
        yield "threads", [wording.threads_sentence(site)]
        spreads = (("questions", threads.question_scores), ("answers", threads.answer_scores))
        yield "scores", [f"{kind}: {wording.spread(scores)}" for kind, scores in spreads if scores]
    yield "top tags", [listed([f"{tag.name} {count(tag.rows)}" for tag in site.tags], NAMES)]
    yield "nulls", [f"{table.name}: {_nulls(table.nulls, table.rows)}" for table in site.tables if table.nulls]
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


def _nulls(nulls: Sequence[Counted], rows: int) -> str:
    most_first = sorted(nulls, key=lambda each: (-each.rows, each.name))
    return ", ".join(f"{each.name} {percent(each.rows, rows)}" for each in most_first)


def _files(site: SiteFacts) -> Table:
    table = new_table("file", ("lines", "rows", "quarantined", "no record"), "table", "status")
    for file in site.files:
        lines = MISSING if file.lines is None else count(file.lines)
        table.add_row(
            Text(visible(file_name(file.path))),
            lines if file.adds_up else Text(f"{lines} (counts disagree)", style="red"),
            count(file.rows_out),
            warning(file.rows_quarantined),
            MISSING if file.not_rows is None else count(file.not_rows),
            Text(file.table or "(several)"),
            {True: Text("complete"), False: Text("truncated", style="red"), None: Text(MISSING)}[file.is_complete],
        )
    if site.file_totals.files > len(site.files):
        table.caption = f"{len(site.files)} of {counted(site.file_totals.files, 'file')}"
    return table
