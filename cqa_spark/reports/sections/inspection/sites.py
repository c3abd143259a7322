"""The sites with the most rows, each with its posts, columns, orphans, quarantined records and files."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable, number
from cqa_spark.reports.kit.numbers import MISSING, count, counted, percent
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.svg import draw_both, draw_small
from cqa_spark.reports.kit.tables import warning
from cqa_spark.reports.kit.wording import file_name, listed
from cqa_spark.reports.section import Link, Section
from cqa_spark.reports.sections.inspection import wording
from cqa_spark.reports.sections.inspection.facts import InspectedRun, Inspection, SiteFacts, inspection
from cqa_spark.reports.sections.inspection.plots import plot_months, plot_score_counts, plot_tags
from cqa_spark.reports.sections.inspection.posts import HIGHEST_SCORE, LOWEST_SCORE
from cqa_spark.reports.sections.inspection.tables import Nulls

NAMES = 10
"""Largest number of names in a list."""

RAW_CHARACTERS = 120
"""Number of characters that the terminal shows of a quarantined record."""


def page(inspected: Inspection) -> Markup:
    """A part of the page for each site."""
    return Markup("\n").join(
        fragment(
            "sections/inspection/sites.html.j2", site=site, number=number, wording=wording, **_figures(site, number)
        )
        for number, site in enumerate(inspected.detailed, start=1)
    )


def links(inspected: Inspection) -> tuple[Link, ...]:
    """The sites, for the navigation."""
    return tuple((f"site{number}", site.site) for number, site in enumerate(inspected.detailed, start=1))


def console(inspected: Inspection, terminal: Terminal) -> None:
    """Print the facts of each site."""
    for site in inspected.detailed:
        terminal.line()
        terminal.line(site.site, style="bold")
        terminal.table(_facts(site))
        if site.files:
            terminal.table(_files(site))
    if hidden := len(inspected.sites[len(inspected.detailed) :]):
        terminal.line()
        terminal.line(f"{counted(hidden, 'smaller site')} not shown in detail")


def _figures(site: SiteFacts, number: int) -> dict[str, Any]:
    """The figures of a site; None without data."""
    scores = (site.scores, LOWEST_SCORE, HIGHEST_SCORE)
    return {
        "months": draw_both(partial(plot_months, site.months), f"months{number}") if site.months else None,
        "scores": draw_small(partial(plot_score_counts, *scores), f"scores{number}") if site.scores else None,
        "tags": draw_small(partial(plot_tags, site.tags), f"tags{number}") if site.tags else None,
    }


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
    yield "orphans", [f"{item.table}.{item.reference} → {item.missing_in}: {count(item.rows)}" for item in site.orphans]
    yield (
        "unknown attributes",
        [
            f"{table.name}: {listed([f'{item.name} {count(item.rows)}' for item in table.unknown_attributes], NAMES)}"
            for table in site.tables
            if table.unknown_attributes
        ],
    )
    yield (
        "quarantine",
        [
            f"{counted(item.rows, 'record')}: {item.reason}\n    {wording.location(item)}: {item.raw[:RAW_CHARACTERS]}"
            for item in site.refusals
        ],
    )
    yield "files", [wording.files_sentence(site.file_totals) if site.file_totals.files else ""]


def _nulls(nulls: Sequence[Nulls]) -> str:
    most_first = sorted(nulls, key=lambda column: (-column.rows / column.of, column.name))
    return ", ".join(f"{column.name} {percent(column.rows, column.of)}" for column in most_first)


def _files(site: SiteFacts) -> TextTable:
    hidden = site.file_totals.files > len(site.files)
    caption = f"{len(site.files)} of {counted(site.file_totals.files, 'file')}" if hidden else ""
    numbers = map(number, ("lines", "rows", "quarantined", "no record"))
    table = TextTable("file", *numbers, "table", "status", caption=caption)
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


SECTION: Section[InspectedRun, Inspection] = Section("sites", "Sites", inspection, page, console, links=links)
