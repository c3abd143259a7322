"""An inspection in the terminal: one table of all sites, then what is notable of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cqa_spark.reports.inspection import wording
from cqa_spark.reports.inspection.content import Counted, Inspection, SiteFacts
from cqa_spark.reports.inspection.tables import new_table, print_table, site_row, table_name, warning
from cqa_spark.reports.wording import MISSING, count, counted, visible

SITES = 20
"""Sites that are told of one by one; the table has all of them."""

NAMES = 10
"""Tags, columns or attributes that one line names."""

RAW_CHARACTERS = 120


def print_inspection(inspection: Inspection, console: Console) -> None:
    """Print the tables of every site, and below the figures of the largest ones."""
    run = inspection.run
    written = f"{run.recorded_at:%Y-%m-%d %H:%M}"
    console.print(f"{run.lake}, run {run.run_id} of {written}", highlight=False, soft_wrap=True, markup=False)
    print_table(console, _overview(inspection))
    for site in inspection.sites[:SITES]:
        console.print()
        console.print(site_row(site.site), soft_wrap=True)
        print_table(console, _figures(site))
        if site.files:
            print_table(console, _files(site))
    if hidden := len(inspection.sites[SITES:]):
        console.print(f"\n{counted(hidden, 'smaller site')} not told of one by one", highlight=False)


def _overview(inspection: Inspection) -> Table:
    table = new_table("site and table", ("rows", "quarantined", "orphans"), "unknown attributes")
    for site in inspection.sites:
        table.add_row(site_row(site.site))
        for each in site.tables:
            table.add_row(
                table_name(each.name),
                count(each.rows),
                warning(each.quarantined),
                warning(each.orphans),
                Text(visible(_listed([attribute.name for attribute in each.unknown_attributes], limit=5))),
                style="" if each.rows else "dim",
            )
        if site.quarantined_elsewhere:
            table.add_row(table_name("(files of several tables)"), "", warning(site.quarantined_elsewhere))
    return table


def _figures(site: SiteFacts) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, lines in _told(site):
        if any(lines):
            grid.add_row(name, Text("\n").join(Text(visible(line)) for line in lines if line))
    return grid


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


def _files(site: SiteFacts) -> Table:
    table = new_table("file", ("lines", "rows", "quarantined", "not rows"), "table", "ends")
    for file in site.files:
        lines = MISSING if file.lines is None else count(file.lines)
        table.add_row(
            Text(visible(wording.file_name(file.path))),
            lines if file.adds_up else Text(f"{lines} (does not add up)", style="red"),
            count(file.rows_out),
            warning(file.rows_quarantined),
            MISSING if file.not_rows is None else count(file.not_rows),
            Text(file.table or "(several)"),
            {True: Text("as it should"), False: Text("breaks off", style="red"), None: Text(MISSING)}[file.is_complete],
        )
    if site.file_totals.files > len(site.files):
        table.caption = f"{len(site.files)} of {counted(site.file_totals.files, 'file')}"
    return table


def _listed(names: Sequence[str], limit: int = NAMES) -> str:
    more = f" and {count(len(names) - limit)} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
