"""Plots of a site's posts: by month, by score and by tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cqa_spark.reports.kit.bars import named_bars
from cqa_spark.reports.kit.numbers import MINUS, count, counted
from cqa_spark.reports.kit.svg import Plot, new_axes, sentinel
from cqa_spark.reports.sections.inspection.posts import Month, ScoreCount
from cqa_spark.reports.sections.inspection.tables import Counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
