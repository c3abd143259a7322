"""Plot of scores against the length of the candidates' texts."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from matplotlib.axes import Axes

from cqa_spark.reports.kit.numbers import count, score
from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg
from cqa_spark.reports.run.scores.content import LengthScores

_HEIGHT = 240
_LARGEST = 14
"""Diameter of the largest dot, in CSS pixels."""

_Dot = tuple[int, int, float]
"""Place on the axis, number of candidates, and their mean score."""


@drawing
def plot_lengths(lengths: Sequence[LengthScores], name: str, width: int) -> Markup:
    """Draw the mean score of relevant and of other candidates by length; a dot's area is the number of candidates.

    Args:
        lengths: at least one, the shortest first.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    most = max(number for each in lengths for number in (each.relevant, each.not_relevant))
    relevant = [
        (place, each.relevant, each.relevant_score)
        for place, each in enumerate(lengths)
        if each.relevant_score is not None
    ]
    others = [
        (place, each.not_relevant, each.not_relevant_score)
        for place, each in enumerate(lengths)
        if each.not_relevant_score is not None
    ]
    _draw(axes, others, most, "loss")
    _draw(axes, relevant, most, "accent")
    axes.set_xticks(range(len(lengths)), [count(each.low) for each in lengths])
    axes.set_xlim(-0.6, len(lengths) - 0.4)
    axes.margins(y=0.15)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    return to_svg(figure, name, f"Mean score by characters: {'; '.join(map(_described, lengths))}.")


def _draw(axes: Axes, dots: Sequence[_Dot], most: int, role: str) -> None:
    if dots:
        places, numbers, scores = zip(*dots, strict=True)
        axes.plot(places, scores, color=sentinel(role), linewidth=1.5, alpha=0.5)
        areas = [_LARGEST**2 * number / most for number in numbers]
        axes.scatter(places, scores, s=areas, color=sentinel(role), linewidths=0, zorder=3)


def _described(each: LengthScores) -> str:
    parts = [
        f"{score(mean)} of {count(number)} {label}"
        for number, mean, label in (
            (each.relevant, each.relevant_score, "relevant"),
            (each.not_relevant, each.not_relevant_score, "not relevant"),
        )
        if mean is not None
    ]
    return f"from {count(each.low)}: {', '.join(parts)}"
