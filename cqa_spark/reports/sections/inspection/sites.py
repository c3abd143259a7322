"""What an inspection shows: a table of all sites and tables, and the sites with the most rows in detail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cqa_spark.lake.journal import Entry
from cqa_spark.reports.kit.blocks import (
    Banner,
    Bars,
    Block,
    Cell,
    Code,
    Columns,
    Details,
    Facts,
    Heading,
    Plot,
    Row,
    Span,
    Table,
    Text,
    count_cells,
    forum,
    warning_cell,
)
from cqa_spark.reports.kit.svg import Picture, named_bars, new_axes, sentinel
from cqa_spark.reports.kit.wording import (
    MINUS,
    MISSING,
    count,
    counted,
    file_name,
    listed,
    number,
    percent,
    readable,
)
from cqa_spark.reports.section import Head, Section
from cqa_spark.reports.sections.inspection.contents import (
    HIGHEST_SCORE,
    LOWEST_SCORE,
    Counted,
    Month,
    ScoreCount,
)
from cqa_spark.reports.sections.inspection.facts import (
    FileTotals,
    InspectedRun,
    Inspection,
    SiteFacts,
    adds_up,
    inspection,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ATTRIBUTES = 20
"""Largest number of unknown attributes of a table that are listed for a site; the overview names fewer."""


def banner(inspected: Inspection) -> Banner:
    """Totals over the sites."""
    record, sites = inspected.record, inspected.sites
    numbers = {
        "sites": len(sites),
        "rows": sum(site.rows for site in sites),
        "quarantined": sum(site.quarantined for site in sites),
        "files": sum(site.file_totals.files for site in sites),
        "truncated files": sum(site.file_totals.incomplete for site in sites),
    }
    recorded = f"Run {record.run_id}, {record.recorded_at:%Y-%m-%d %H:%M:%S %Z}".rstrip()
    return Banner(
        title=f"Inspection of {inspected.lake} · {record.run_id}",
        provenance=f"{recorded} · cqa-spark {record.code_version}",
        eyebrow=(f"{inspected.lake} · run ", Span(record.run_id, "bold")),
        heading="Inspection",
        facts=[(name, count(value)) for name, value in numbers.items()],
    )


def inspected_run_line(inspected: Inspection) -> list[Block]:
    """The inspected run."""
    record = inspected.record
    return [Text(f"{inspected.lake}, run {record.run_id} of {record.recorded_at:%Y-%m-%d %H:%M}")]


def overview(inspected: Inspection) -> list[Block]:
    """The table of all sites and tables."""
    rows: list[Row] = []
    for site in inspected.sites:
        rows.append(Row(forum(site.site), style="group"))
        for table in site.tables:
            names = listed([attribute.name for attribute in table.unknown_attributes], limit=5)
            warnings = warning_cell(table.quarantined), warning_cell(table.orphans)
            days = Cell(table.first or ""), Cell(table.last or "")
            cells = *count_cells(table.rows), *warnings, *days, Cell(forum(names) if names else "", role="prose")
            rows.append(Row(readable(table.name), cells, "" if table.rows else "quiet"))
        if site.quarantined_elsewhere:
            empty = [Cell("")] * 4
            rows.append(Row("files of several tables", (Cell(""), warning_cell(site.quarantined_elsewhere), *empty)))
    about = (
        "Rows by site and table. Quarantined: records that could not be parsed. Orphans: rows with a reference to a "
        "missing row. Unknown attributes: attributes of the dump without a declared column."
    )
    headings = ("site and table", "rows", "quarantined", "orphans", "from", "to", "unknown attributes")
    shown: list[Block] = [Table("", about, headings, rows, ("from", "to", "unknown attributes"), style="sites")]
    if len(inspected.sites) > len(inspected.detailed):
        most = f"the {len(inspected.detailed)} sites with the most rows"
        shown.append(Text(f"The following sections describe {most}.", "legend"))
    return shown


def detailed_sites(inspected: Inspection) -> list[Block]:
    """A part of the page for each site."""
    shown: list[Block] = []
    for position, site in enumerate(inspected.detailed, start=1):
        shown += _site(site, position)
    return shown


def _site(site: SiteFacts, position: int) -> list[Block]:
    """The threads, null values, orphans, unknown attributes, quarantined records and files of a site."""
    shown: list[Block] = [Heading(forum(site.site), 2, id=f"site{position}"), Facts(threads_facts(site))]
    if site.months:
        caption = "Posts by month: questions above the axis, answers below."
        shown.append(Plot(f"months{position}", partial(plot_months, site.months), caption))
    pair: list[Block] = []
    if site.scores:
        caption = "Posts by score: questions above the axis, answers below."
        plotter = partial(plot_score_counts, site.scores, LOWEST_SCORE, HIGHEST_SCORE)
        pair.append(Plot(f"scores{position}", plotter, caption, small=True))
    if site.tags:
        caption = "Number of posts with each of the most frequent tags."
        line = f"top tags: {listed([f'{tag.name} {count(tag.rows)}' for tag in site.tags], 10)}"
        pair.append(Plot(f"tags{position}", partial(plot_tags, site.tags), caption, small=True, line=line))
    if pair:
        shown.append(Columns(pair, "pair"))
    nulls = [
        Bars(
            readable(table.name),
            [
                (column.name, column.rows / column.of, percent(column.rows, column.of))
                for column in sorted(table.nulls, key=lambda column: -column.rows)
            ],
        )
        for table in site.tables
        if table.nulls
    ]
    if nulls:
        shown += [Heading("Null values"), Columns(nulls, "nulls")]
    absent = [(readable(table.name), ", ".join(table.absent)) for table in site.tables if table.absent]
    if absent:
        shown += [Heading("Columns without any value"), Facts(absent)]
    if site.orphans:
        about = (
            "Rows with a reference to a missing row. They are kept: dumps omit deleted rows, but not the rows that "
            "refer to them."
        )
        rows = [
            Row(
                f"{readable(entry['table_name'])}, {entry['reference']}",
                (Cell(readable(entry["missing_in"])), *count_cells(entry["rows"])),
            )
            for entry in site.orphans
        ]
        headings = ("Column", "Refers to", "Rows")
        shown += [Heading("Orphans"), Table("", about, headings, rows, ("Refers to",))]
    rows = [
        Row(forum(attribute.name), (Cell(readable(table.name)), *count_cells(attribute.rows)))
        for table in site.tables
        for attribute in table.unknown_attributes[:ATTRIBUTES]
    ]
    if rows:
        about = "Attributes of the dump without a declared column; the column unknown_attributes holds their values."
        headings = ("Attribute", "Table", "Rows")
        shown += [Heading("Unknown attributes"), Table("", about, headings, rows, ("Table",))]
    if site.refusals:
        shown.append(Heading("Quarantine"))
    for refusal in site.refusals:
        where = f"{file_name(refusal.source_file)}, byte {count(refusal.byte_offset)}"
        example = Text((f"Example: {where}: ", forum(refusal.example_reason)))
        summary = f"{counted(refusal.rows, 'record')}: ", forum(refusal.reason)
        shown.append(Details(summary, [example, Code(forum(refusal.raw))]))
    if site.files:
        shown += [Heading("Files"), _files(site)]
    return shown


def threads_facts(site: SiteFacts) -> list[tuple[str, str]]:
    """Period, and questions and answers with their scores; a forum may have no answers."""
    facts = []
    if site.first is not None and site.last is not None:
        period = site.first if site.first == site.last else f"{site.first} to {site.last}"
        facts.append(("Posts, comments", period))
    if site.threads is None:
        return facts
    threads = site.threads
    text = counted(threads.questions, "question")
    if threads.answers or not threads.questions:
        text += f", {counted(threads.answers, 'answer')}"
    if threads.answers and threads.answers_per_question is not None:
        accepted = percent(threads.accepted, threads.questions)
        text += f": {threads.answers_per_question:.2f} answers per question"
        text += f"; {accepted} of the questions have an accepted answer"
    if threads.deleted:
        text += f"; {counted(threads.deleted, 'post')} deleted, not used"
    if threads.invented:
        text += f"; {counted(threads.invented, 'post')} invented by the archive, not used"
    facts.append(("Threads", text))
    spreads = (("Questions", threads.question_scores), ("Answers", threads.answer_scores))
    return facts + [(name, f"score: {_spread(scores)}") for name, scores in spreads if scores]


def _spread(scores: Sequence[float]) -> str:
    """Median, interquartile range and range of a distribution."""
    lowest, lower, median, upper, highest = map(number, scores)
    return f"median {median}, middle half {lower} to {upper}, range {lowest} to {highest}"


def _files(site: SiteFacts) -> Table:
    about = f"{_files_sentence(site.file_totals)}."
    if site.file_totals.files > len(site.files):
        about += f" The table shows {len(site.files)} of them, truncated files first."
    headings = ("File", "Table", "Lines", "Rows", "Quarantined", "No record", "Status")
    return Table("", about, headings, [_file(file) for file in site.files], ("Table", "Status"))


def _file(file: Entry) -> Row:
    status = Cell(MISSING)
    if file["is_complete"] is not None:
        status = Cell("complete") if file["is_complete"] else Cell("truncated", role="worse")
    lines = MISSING if file["lines"] is None else count(file["lines"])
    return Row(
        Cell(file_name(file["source_file"]), role="path", hint=file["source_file"]),
        (
            Cell(readable(file["table_name"] or "several")),
            Cell(lines) if adds_up(file) else Cell(lines, "counts disagree", role="worse"),
            Cell(count(file["rows_out"])),
            warning_cell(file["rows_quarantined"]),
            Cell(MISSING if file["not_rows"] is None else count(file["not_rows"])),
            status,
        ),
    )


def _files_sentence(totals: FileTotals) -> str:
    """Number of files, and their lines by outcome."""
    files = counted(totals.files, "file")
    if totals.incomplete:
        files += f", {count(totals.incomplete)} truncated"
    parts = [f"{count(totals.rows_out)} rows", f"{count(totals.rows_quarantined)} quarantined"]
    if totals.rows_forgotten:
        parts.append(f"{count(totals.rows_forgotten)} forgotten")
    if totals.lines is None:
        return f"{files}: {' + '.join(parts)}"
    other = f"{count(totals.not_rows)} without a record"
    return f"{files}: {counted(totals.lines, 'line')} = {' + '.join([*parts, other])}"


# Plots of a site's posts: by month, by score and by tag.

_HEIGHT = 200
_YEAR = 56  # width of a year label with its margins, in CSS pixels
_STEPS = (1, 2, 5, 10, 20, 50)


def plot_months(months: Sequence[Month], width: int) -> Picture:
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
    return Picture(figure, f"{total} by month, {_named(first)} to {_named(last)}.")


def _labelled_years(first: int, end: int, most: int) -> list[int]:
    """The years to label: those that begin within the months, or the only one."""
    years = [year for year in range(-(-first // 12), -(-end // 12))] or [first // 12]
    step = next((step for step in _STEPS if len(years) <= step * max(1, most)), _STEPS[-1])
    return [year for year in years if year % step == 0] or years[:1]


def _named(number: int) -> str:
    return f"{number // 12}-{number % 12 + 1:02d}"


_EVERY = 5


def plot_score_counts(scores: Sequence[ScoreCount], lowest: int, highest: int, width: int) -> Picture:
    """Draw questions above the axis and answers below it, a bin per score; the outer ones include those beyond."""
    figure, axes = new_axes(width, _HEIGHT)
    by_score = {count.score: count for count in scores}
    steps = [by_score.get(score, ScoreCount(score, 0, 0)) for score in range(lowest, highest + 1)]
    questions, answers = [step.questions for step in steps], [step.answers for step in steps]
    _draw_mirrored(axes, [step.score - 0.5 for step in steps] + [highest + 0.5], questions, answers)
    marks = range(lowest, highest + 1, _EVERY)
    axes.set_xticks(list(marks), [_label(score, lowest, highest) for score in marks])
    total = f"{counted(sum(questions), 'question')} and {counted(sum(answers), 'answer')}"
    return Picture(figure, f"{total} by score, {lowest} or less to {highest} or more.")


def _label(score: int, lowest: int, highest: int) -> str:
    text = str(score).replace("-", MINUS)
    return f"≤ {text}" if score == lowest else f"≥ {text}" if score == highest else text


def plot_tags(tags: Sequence[Counted], width: int) -> Picture:
    """Draw the number of posts of each tag, at least one, most frequent first."""
    names = [tag.name for tag in tags]
    texts = [count(tag.rows) for tag in tags]
    figure = named_bars(
        names, [tag.rows for tag in tags], texts, width, row=21, thickness=0.66, font=11, gap=4, room=0.16
    )
    described = "; ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
    return Picture(figure, f"Number of posts of the most frequent tags: {described}.")


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


def inspection_json(inspected: Inspection) -> str:
    """Rows, quarantined records, orphans and undeclared attributes of each site and table.

    ``quarantined_elsewhere`` counts the quarantined records of files that fill several tables, by site.
    """
    by_site: dict[str, dict[str, Any]] = {}
    for site in sorted(inspected.sites, key=lambda site: site.site):
        by_site[site.site] = {
            table.name: {
                "rows": table.rows,
                "quarantined": table.quarantined,
                "orphans": table.orphans,
                "unknown_attributes": sorted(attribute.name for attribute in table.unknown_attributes),
            }
            for table in site.tables
        }
    elsewhere = {site.site: site.quarantined_elsewhere for site in inspected.sites if site.quarantined_elsewhere}
    values = {"lake": inspected.lake, "run_id": inspected.record.run_id, "sites": by_site}
    return json.dumps(values | {"quarantined_elsewhere": dict(sorted(elsewhere.items()))}, indent=2)


HEAD: Head[InspectedRun, Inspection] = Head(inspection, banner, inspected_run_line)

TABLES: Section[InspectedRun, Inspection] = Section("tables", "Tables", inspection, overview)
SITES: Section[InspectedRun, Inspection] = Section("sites", "Sites", inspection, detailed_sites)
