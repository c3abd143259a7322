"""What somebody should look at tonight, with both texts, and what such findings were worth on the past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.findings.finding import FINDING_KINDS, Kind
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.findings import FINDING_WORTH, FINDINGS
from cqa_spark.reports.kit.blocks import (
    NO_VALUE,
    Block,
    Cell,
    Columns,
    Details,
    Heading,
    Only,
    Plot,
    Post,
    Table,
    Text,
    forum,
)
from cqa_spark.reports.kit.svg import Picture, Plotter, Whisker, described, sentinel, shares_of_bins, whiskers
from cqa_spark.reports.kit.wording import counted, interval, p_value, points, signed_interval, signed_points
from cqa_spark.reports.queries import TEXTS, PostText, collect_texts
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 5
"""Findings of a kind that are shown with their texts."""

_CHARACTERS = 300


@dataclass(frozen=True)
class ShownFinding:
    """A finding with its texts.

    Attributes:
        site: its site.
        post_id: the post that it is about.
        other_id: the post that this is compared with.
        probability: that it is right; None if unknown.
        evidence: what speaks for it.
        title: title of the post's question.
        text: of the post.
        other_text: of the other one.
    """

    site: str
    post_id: str
    other_id: str
    probability: float | None
    evidence: str
    title: str
    text: PostText
    other_text: PostText


@dataclass(frozen=True)
class TonightsFindings:
    """Findings by kind.

    Attributes:
        kinds: what each kind is, by name, in the order of the page.
        worth: entries of ``FINDING_WORTH`` for all sites, and for single ones.
        shown: the most important findings of each kind.
    """

    kinds: Mapping[str, Kind]
    worth: Sequence[Entry]
    shown: Mapping[str, Sequence[ShownFinding]]

    def overall(self) -> Iterator[tuple[Kind, Entry]]:
        """Each kind with its entry for all sites."""
        by_kind = {entry["kind"]: entry for entry in self.worth if entry["site"] == EVERY}
        return ((kind, by_kind[name]) for name, kind in self.kinds.items() if name in by_kind)


_ORDER = ("duplicate_question", "late_answer", "contradicted_acceptance", "confident_disagreement", "related_question")


def data(run: ReportedRun) -> TonightsFindings | None:
    """The findings of tonight and their worth; None for a run without any."""
    worth = list(run.entries(FINDING_WORTH.name))
    if not worth:
        return None
    kinds = {kind.name: kind for finding in FINDING_KINDS.load_all().values() for kind in finding.kinds}
    ordered = [*(name for name in _ORDER if name in kinds), *sorted(kinds.keys() - set(_ORDER))]
    findings = run.tables.get(FINDINGS.name)
    return TonightsFindings(
        {name: kinds[name] for name in ordered}, worth, {} if findings is None else _shown(findings, run.tables)
    )


def _shown(findings: DataFrame, tables: Mapping[str, DataFrame]) -> dict[str, list[ShownFinding]]:
    """The most important findings of each kind, with their texts."""
    in_order = Window.partitionBy("kind").orderBy(F.col("score").desc(), "site", "post_id", "other_id")
    numbered = findings.withColumn("place", F.row_number().over(in_order)).where(F.col("place") <= SHOWN)
    rows = sorted(numbered.collect(), key=itemgetter("kind", "place"))
    ids = {(row["site"], row[name]) for row in rows for name in ("post_id", "other_id", "thread_id")}
    texts = collect_texts(tables, sorted(ids)) if ids else {}
    shown: dict[str, list[ShownFinding]] = {}
    for row in rows:
        post, other, thread = (
            texts.get((row["site"], row[name]), PostText()) for name in ("post_id", "other_id", "thread_id")
        )
        shown.setdefault(row["kind"], []).append(
            ShownFinding(
                row["site"],
                row["post_id"],
                row["other_id"],
                row["probability"],
                row["evidence"],
                thread.subject,
                post,
                other,
            )
        )
    return shown


def blocks(tonight: TonightsFindings) -> list[Block]:
    """Counts and worth as a plot and a table; on the page the most important findings with both texts."""
    of_many_sites = len({entry["site"] for entry in tonight.worth}) > 2
    measured = [(kind, entry) for kind, entry in tonight.overall() if entry["low"] is not None]
    plot = [Plot("findings", _plotter(measured), "What findings were worth on the past")] if measured else []
    lists: list[Block] = []
    for kind, entry in tonight.overall():
        if entry["rows"]:
            lists += [Heading(f"{kind.title}: {entry['rows']:,}"), Text(kind.about)]
            lists += [_story(finding, named=of_many_sites) for finding in tonight.shown.get(kind.name, ())]
    return [
        Heading("What somebody should look at", 2),
        Only("page", [*lists, *plot]),
        Only("terminal", [Text(sentence(tonight)), Text("")]),
        worth_table(tonight),
        *_reliability(tonight),
    ]


def sentence(tonight: TonightsFindings) -> str:
    """How many findings there are of each kind."""
    numbers = [
        f"{kind.title[0].lower()}{kind.title[1:]} ({entry['rows']:,})"
        for kind, entry in tonight.overall()
        if entry["rows"]
    ]
    return f"To look at: {', '.join(numbers)}." if numbers else "Nothing new to look at."


def _story(finding: ShownFinding, *, named: bool) -> Details:
    """Both texts of a finding, below the title of the question; its site is named if others have findings, too."""
    site = f"{finding.site}: " if named else ""
    probability = "" if finding.probability is None else f"probability {100 * finding.probability:.0f} %; "
    return Details(
        forum(finding.title or finding.post_id),
        [
            Post(finding.text.on_page(_CHARACTERS, title=True), [finding.post_id]),
            Post(finding.other_text.on_page(_CHARACTERS, title=True), [finding.other_id]),
        ],
        story=True,
        aside=f"{site}{probability}{finding.evidence}",
    )


def _plotter(measured: Sequence[tuple[Kind, Entry]]) -> Plotter:
    """A row for each kind and one for its rival."""
    rows = [
        row
        for kind, entry in measured
        for row in (
            Whisker(kind.title, entry["value"], entry["low"], entry["high"], "accent"),
            Whisker(kind.rival, entry["rival_value"], entry["rival_value"], entry["rival_value"], "muted"),
        )
    ]

    def plot(width: int) -> Picture:
        return Picture(whiskers(rows, None, width), described(rows))

    return plot


def worth_table(tonight: TonightsFindings) -> Table:
    """What each kind was worth on the past, and whether it is published."""
    rows = []
    for kind, entry in tonight.overall():
        if entry["value"] is None:
            cells = [NO_VALUE, NO_VALUE, NO_VALUE]
        else:
            is_known = entry["low"] is not None
            value = Cell(points(entry["value"]), interval(entry["low"], entry["high"]) if is_known else "")
            role = "unclear"
            if entry["p_value"] < 0.05:
                role = "better" if entry["difference"] > 0 else "worse"
            bounds = "interval unknown"
            if entry["low_difference"] is not None:
                bounds = signed_interval(entry["low_difference"], entry["high_difference"])
            difference = Cell(signed_points(entry["difference"]), f"{bounds}, {p_value(entry['p_value'])}", role)
            cells = [value, Cell(points(entry["rival_value"]), kind.rival), difference]
        number = Cell(f"{entry['rows']:,}" if entry["published"] else "not published")
        cases = Cell(f"{entry['cases']:,}", counted(entry["clusters"], "cluster"))
        rows.append((kind.title, [number, *cells, cases, Cell(kind.measure), Cell(entry["reason"])]))
    return Table(
        title="Findings, and what they were worth on the past",
        about="In percent, with 95 % intervals by cluster. What is found on the past is made of what was known then. A "
        "kind that is worse than its simple rival is not published.",
        headings=("finding", "tonight", "worth", "rival", "difference", "cases", "measure", "why"),
        rows=rows,
        texts=("measure", "why"),
    )


def _reliability(tonight: TonightsFindings) -> list[Block]:
    """Stated probabilities against what was observed: a plot for each kind that states some, and a table of all."""
    kinds = [(kind, bins) for kind, entry in tonight.overall() if (bins := entry.get("reliability"))]
    if not kinds:
        return []
    plots = [
        Plot(f"reliability{number}", partial(_plot_reliability, bins), kind.title, small=True)
        for number, (kind, bins) in enumerate(kinds)
    ]
    rows = [
        (
            kind.title,
            [
                Cell(points(row["stated"])),
                Cell(points(row["observed"]), "" if row["low"] is None else interval(row["low"], row["high"])),
                Cell(f"{row['cases']:,}", counted(row["clusters"], "cluster")),
            ],
        )
        for kind, bins in kinds
        for row in bins
    ]
    table = Table(
        title="Stated probabilities, and what was observed",
        about="In percent, for each tenth of stated probability: its mean, and the share of these cases of the past "
        "that proved right, with 95 % intervals by cluster. Reliable probabilities lie on the dotted line.",
        headings=("finding", "stated", "observed", "cases"),
        rows=rows,
    )
    return [Only("page", [Columns(plots)]), table]


def _plot_reliability(bins: Sequence[Entry], width: int) -> Picture:
    """A dot for each tenth of stated probability, whose area is the number of cases, with the observed interval."""
    stated, observed = ([100 * row[name] for row in bins] for name in ("stated", "observed"))
    cases = [row["cases"] for row in bins]
    figure, axes = shares_of_bins(stated, observed, cases, width, certain=100, smallest=16)
    for position, row in zip(stated, bins, strict=True):
        if row["low"] is not None:
            bounds = [100 * row["low"], 100 * row["high"]]
            axes.plot([position] * 2, bounds, color=sentinel("accent"), linewidth=2, alpha=0.55, zorder=2)
    axes.set_xlim(-4, 104)
    axes.set_xticks([0, 50, 100], ["0", "50", "100 % stated"])
    parts = "; ".join(f"{points(row['observed'])} of {row['cases']:,} at {points(row['stated'])}" for row in bins)
    return Picture(figure, f"Share that proved right by stated probability, in percent: {parts}.")


SECTION = Section("findings", "Tonight", data, blocks, products=(FINDING_WORTH,), optional=(FINDINGS, *TEXTS))
