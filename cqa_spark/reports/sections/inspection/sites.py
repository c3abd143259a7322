"""The sites with the most rows, each with its posts, columns, orphans, quarantined records and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from cqa_spark.process.terminal import Column, Styled, Terminal, TextTable, number
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.svg import Plot, draw_both, draw_small, named_bars, new_axes, sentinel
from cqa_spark.reports.kit.tables import warning
from cqa_spark.reports.kit.wording import MINUS, MISSING, count, counted, file_name, listed, percent
from cqa_spark.reports.section import Link, Section
from cqa_spark.reports.sections.inspection import wording
from cqa_spark.reports.sections.inspection.contents import (
    HIGHEST_SCORE,
    LOWEST_SCORE,
    Counted,
    Month,
    Nulls,
    ScoreCount,
)
from cqa_spark.reports.sections.inspection.facts import InspectedRun, Inspection, SiteFacts, inspection

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Plots of a site's posts: by month, by score and by tag.

_HEIGHT = 200
_YEAR = 56  # width of a year label with its margins, in CSS pixels
_STEPS = (1, 2, 5, 10, 20, 50)


def plot_months(months: Sequence[Month], width: int) -> Plot:
    """Draw questions above the axis and answers below it, earliest month first; months without posts stay empty."""
    figure, axes = new_axes(width, _HEIGHT)
    first, last = months[0].number, months[-1].number
    questions, answers = [0] * (last - first + 1), [0] * (last - first + 1)
    for month in months:
        questions[month.number - first], answers[month.number - first] = month.questions, month.answers
    _draw_mirrored(axes, [first + month for month in range(len(questions) + 1)], questions, answers)
    years = _labelled_years(first, last + 1, width // _YEAR)
    # A year is labelled at its January, or at the first month if that is later.
    axes.set_xticks([max(first, 12 * year) for year in years], [str(year) for year in years], ha="left")
    total = f"{counted(sum(questions), 'question')} and {counted(sum(answers), 'answer')}"
    return Plot(figure, f"{total} by month, {_named(first)} to {_named(last)}.")


def _labelled_years(first: int, end: int, most: int) -> list[int]:
    """The years to label: those that begin within the months, or the only one."""
    years = [year for year in range(-(-first // 12), -(-end // 12))] or [first // 12]
    step = next((step for step in _STEPS if len(years) <= step * max(1, most)), _STEPS[-1])
    return [year for year in years if year % step == 0] or years[:1]


def _named(number: int) -> str:
    return f"{number // 12}-{number % 12 + 1:02d}"


_EVERY = 5


def plot_score_counts(scores: Sequence[ScoreCount], lowest: int, highest: int, width: int) -> Plot:
    """Draw questions above the axis and answers below it, a bin per score; the outer ones include those beyond."""
    figure, axes = new_axes(width, _HEIGHT)
    by_score = {count.score: count for count in scores}
    steps = [by_score.get(score, ScoreCount(score, 0, 0)) for score in range(lowest, highest + 1)]
    questions, answers = [step.questions for step in steps], [step.answers for step in steps]
    _draw_mirrored(axes, [step.score - 0.5 for step in steps] + [highest + 0.5], questions, answers)
    marks = range(lowest, highest + 1, _EVERY)
    axes.set_xticks(list(marks), [_label(score, lowest, highest) for score in marks])
    total = f"{counted(sum(questions), 'question')} and {counted(sum(answers), 'answer')}"
    return Plot(figure, f"{total} by score, {lowest} or less to {highest} or more.")


def _label(score: int, lowest: int, highest: int) -> str:
    text = str(score).replace("-", MINUS)
    return f"≤ {text}" if score == lowest else f"≥ {text}" if score == highest else text


def plot_tags(tags: Sequence[Counted], width: int) -> Plot:
    """Draw the number of posts of each tag, at least one, most frequent first."""
    names = [tag.name for tag in tags]
    texts = [count(tag.rows) for tag in tags]
    figure = named_bars(
        names, [tag.rows for tag in tags], texts, width, row=21, thickness=0.66, font=11, gap=4, room=0.16
    )
    described = "; ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
    return Plot(figure, f"Number of posts of the most frequent tags: {described}.")


_TICKS = 6
"""Largest number of ticks on the vertical axis."""


def _draw_mirrored(axes: Axes, edges: Sequence[float], above: Sequence[int], below: Sequence[int]) -> None:
    """Draw two series of counts.

    Args:
        axes: where to draw.
        edges: bin edges, one more than bins.
        above: counts above the axis, in the accent colour.
        below: counts below the axis, in the loss colour.
    """
    from matplotlib.ticker import MaxNLocator

    axes.stairs(above, edges, fill=True, color=sentinel("accent"), linewidth=0)
    axes.stairs([-number for number in below], edges, fill=True, color=sentinel("loss"), linewidth=0)
    axes.axhline(0, color=sentinel("ink"), linewidth=1)
    axes.set_xlim(edges[0], edges[-1])
    axes.margins(y=0.08)
    axes.spines["bottom"].set_visible(False)
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=_TICKS, integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: count(round(abs(value))))


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
