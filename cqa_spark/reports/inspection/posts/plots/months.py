"""Mirrored histogram of questions and answers by month."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.inspection.posts.content import Month
from cqa_spark.reports.kit.numbers import counted
from cqa_spark.reports.kit.plots.mirrored import draw_mirrored
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg

_HEIGHT = 200
_YEAR = 56  # width of a year label with its margins, in CSS pixels
_STEPS = (1, 2, 5, 10, 20, 50)


@drawing
def plot_months(months: Sequence[Month], name: str, width: int) -> Markup:
    """Draw questions above the axis and answers below it; months without posts stay empty.

    Args:
        months: earliest first; at least one.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    first, last = months[0].number, months[-1].number
    questions, answers = [0] * (last - first + 1), [0] * (last - first + 1)
    for month in months:
        questions[month.number - first], answers[month.number - first] = month.questions, month.answers
    draw_mirrored(axes, [first + place for place in range(len(questions) + 1)], questions, answers)
    years = _labelled_years(first, last + 1, width // _YEAR)
    # A year is labelled at its January, or at the first month if that is later.
    axes.set_xticks([max(first, 12 * year) for year in years], [str(year) for year in years], ha="left")
    total = f"{counted(sum(questions), 'question')} and {counted(sum(answers), 'answer')}"
    return to_svg(figure, name, f"{total} by month, {_named(first)} to {_named(last)}.")


def _labelled_years(first: int, end: int, most: int) -> list[int]:
    """The years to label: those that begin within the months, or the only one."""
    years = [year for year in range(-(-first // 12), -(-end // 12))] or [first // 12]
    step = next((each for each in _STEPS if len(years) <= each * max(1, most)), _STEPS[-1])
    return [year for year in years if year % step == 0] or years[:1]


def _named(number: int) -> str:
    return f"{number // 12}-{number % 12 + 1:02d}"
