"""The section that compares the experiment with Xu et al. (2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.metrics import COMPARISONS, SITE_METRICS
from cqa_spark.lake.schemas.studies import ABLATIONS, ATTENTIONS, SEEDS, TRANSFERS, TRIALS
from cqa_spark.process.terminal import TextTable, number
from cqa_spark.reports.kit.blocks import Block, Heading, Plot, Text
from cqa_spark.reports.kit.svg import Picture, new_axes, sentinel, short
from cqa_spark.reports.kit.wording import p_value, signed_points, verdict
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Headline, Section
from cqa_spark.reports.sections.experiments import experiments
from cqa_spark.reports.sections.xu_2018.published import AS_OF, TABLE_1, is_baseline, label, ranker_and_variant
from cqa_spark.reports.sections.xu_2018.study import AnswerStudy, AttentionExample, collect_study
from cqa_spark.reports.sections.xu_2018.tables import tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_LABELS = 110
_LETTERS = 14
_FADED = 0.05
_NAMED = 3
_CAPTION = (
    "Attention weights of a question (rows) and its preferred answer (columns), scaled to [0, 1], as in the paper's "
    "Figure 1: {}. Words without a vector are omitted. The system was not trained on this pair."
)


def data(run: ReportedRun) -> AnswerStudy:
    """The results of the experiment, with its ablations and seeds."""
    results = run.once(experiments)
    study = collect_study(run.journal, run.measures)
    return replace(study, ablations=results.ablations, seeds=results.seeds)


def headline(journal: Mapping[str, Sequence[Entry]], measures: tuple[str, ...]) -> Headline:
    """The best system that uses no information from after the cut, by the measures of the experiment's task."""
    study = collect_study(journal, measures)
    return Headline(study.leading, study.baseline, study.measures)


def blocks(study: AnswerStudy) -> list[Block]:
    """The conclusions, the tables, and heat maps of attention."""
    return [
        Heading("Comparison with Xu et al. (2018)", 2),
        *(Text(sentence, "prose") for sentence in conclusions(study)),
        *tables(study),
        *(
            Plot(f"attention{number}", partial(plot_attention, attention), _CAPTION.format(label(attention.system)))
            for number, attention in enumerate(study.attentions)
        ),
    ]


def conclusions(study: AnswerStudy) -> tuple[str, ...]:
    """For each system as of the cut: the baselines that it is significantly better or worse than, and the others."""
    return tuple(_conclusion(study, system) for system in study.systems if _is_as_of(system))


def _conclusion(study: AnswerStudy, system: str) -> str:
    contrasts = {baseline: study.contrast(system, baseline) for baseline in study.systems if is_baseline(baseline)}
    by_verdict: dict[str, list[str]] = {"better": [], "unclear": [], "worse": []}
    for baseline, contrast in contrasts.items():
        by_verdict[verdict(contrast) or "unclear"].append(baseline)
    if len(by_verdict["better"]) == len(contrasts):
        closest = min(filter(None, contrasts.values()), key=lambda contrast: contrast.difference)
        return (
            f"{label(system)}: significantly better than every baseline; the closest is {label(closest.baseline)} "
            f"({signed_points(closest.difference)} points, {p_value(closest.p_value)})."
        )
    openings = {
        "better": "significantly better than",
        "unclear": "no significant difference from",
        "worse": "significantly worse than",
    }
    parts = [f"{opening} {_listed(by_verdict[kind])}" for kind, opening in openings.items() if by_verdict[kind]]
    return f"{label(system)}: {'; '.join(parts)}."


def _is_as_of(system: str) -> bool:
    return not is_baseline(system) and ranker_and_variant(system)[1] == AS_OF


def _listed(systems: list[str]) -> str:
    return ", ".join(map(label, systems))


def plot_attention(attention: AttentionExample, width: int) -> Picture:
    """Draw how the words of an answer (columns) and of its question (rows) attend to each other."""
    shares = attention.normalised()
    strongest = sorted(
        (
            (-share, query_word, answer_word)
            for query_word, of_row in zip(attention.query_words, shares, strict=True)
            for answer_word, share in zip(attention.candidate_words, of_row, strict=True)
        )
    )
    pairs = "; ".join(f"{query_word} and {answer_word}" for _, query_word, answer_word in strongest[:_NAMED])
    description = f"Attention weights of a question and its preferred answer; the strongest: {pairs}"
    return Picture(_heat_map(attention.query_words, attention.candidate_words, shares, width), description)


def _heat_map(rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], width: int) -> Figure:
    """Draw values from 0 to 1.

    Args:
        rows: labels of the rows, from top to bottom; at least one.
        columns: labels of the columns; at least one.
        values: a value for each row and column.
        width: width of the figure, in CSS pixels.
    """
    from matplotlib.patches import Rectangle

    square = max(12.0, min(24.0, (width - _LABELS) / len(columns)))
    figure, axes = new_axes(width, square * len(rows) + _LABELS)
    for row, of_row in enumerate(values):
        for column, value in enumerate(of_row):
            if value > _FADED:  # many squares of no colour would only make the page larger
                axes.add_patch(
                    Rectangle((column - 0.5, row - 0.5), 1, 1, color=sentinel("accent"), alpha=value, linewidth=0)
                )
    font = min(12.0, square * 0.7)
    axes.set_yticks(range(len(rows)), [short(name, _LETTERS) for name in rows], fontsize=font)
    axes.set_xticks(range(len(columns)), [short(name, _LETTERS) for name in columns], fontsize=font, rotation=90)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.spines["bottom"].set_visible(False)
    return figure


SECTION = Section(
    "preferred-answer",
    "Published",
    data,
    blocks,
    products=(SITE_METRICS,),
    optional=(COMPARISONS, TRANSFERS, TRIALS, ATTENTIONS, ABLATIONS, SEEDS),
    headline=headline,
)


# The data card of a preferred-answer data set, compared with that of the paper.

SPLITS = ("train", "dev", "test", EVERY)


def card_table(card: Sequence[Entry], name: str) -> TextTable:
    """A row per measure, with columns for each split, all splits, and the paper.

    Args:
        card: entries of ``DATA_CARD``.
        name: name of the data set: small, large or full.
    """
    over_sites = {(row["split"], row["measure"]): row["value"] for row in card if row["site"] == EVERY}
    splits = [split for split in SPLITS if any(named == split for named, _ in over_sites)]
    headings = ["all" if split == EVERY else split for split in splits]
    table = TextTable("", *map(number, (*headings, "paper")), title=f"Data set {name}")
    for measure in _in_order({measure for _, measure in over_sites}):
        values = [_formatted(measure, over_sites.get((split, measure))) for split in splits]
        table.add_row(measure.replace("_", " "), *values, _formatted(measure, TABLE_1[name].get(measure)))
    return table


def shortfall(card: Sequence[Entry], name: str, sizes: Mapping[str, int]) -> str:
    """A sentence if the data set has fewer questions than the one of the paper; empty otherwise.

    Args:
        card: entries of ``DATA_CARD``.
        name: name of the data set: small, large or full.
        sizes: number of questions by name.
    """
    questions = next(
        int(row["value"]) for row in card
        if (row["site"], row["split"], row["measure"]) == (EVERY, EVERY, "questions")
    )  # fmt: skip
    if questions >= sizes.get(name, 0):
        return ""
    return (
        f"{name} should have {sizes[name]:,} questions, but only {questions:,} meet the criteria; all of them are used."
    )


def _in_order(measures: set[str]) -> list[str]:
    first = [measure for measure in TABLE_1["small"] if measure in measures]
    return [*first, *sorted(measures - set(first))]


def _formatted(measure: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1%}" if "share" in measure else f"{value:,.0f}"
