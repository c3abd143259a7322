"""Mirrored histogram of scores: relevant candidates above the axis, the others below."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg
from cqa_spark.reports.run.scores.content import ScoreHistogram

_HEIGHT = 170


@drawing
def plot_scores(histogram: ScoreHistogram, name: str, width: int) -> Markup:
    """Draw the share of relevant, of other and of unjudged candidates per score; a rare kind shows as well as others.

    Args:
        histogram: counts in equal-width bins.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    edges = histogram.edges
    axes.stairs(_shares(histogram.relevant), edges, fill=True, color=sentinel("accent"), linewidth=0)
    below = [-share for share in _shares(histogram.not_relevant)]
    axes.stairs(below, edges, fill=True, color=sentinel("loss"), linewidth=0)
    if any(histogram.unjudged):
        axes.stairs(_shares(histogram.unjudged), edges, color=sentinel("muted"), linewidth=1.5)
    axes.axhline(0, color=sentinel("ink"), linewidth=1)
    axes.set_xlim(edges[0], edges[-1])
    axes.locator_params(axis="x", nbins=5)
    axes.set_yticks([])
    axes.spines["bottom"].set_visible(False)
    return to_svg(figure, name, _description(histogram))


def _shares(candidates: Sequence[int]) -> list[float]:
    """The number of candidates in each bin, as a share of all."""
    total = sum(candidates) or 1
    return [number / total for number in candidates]


def _description(histogram: ScoreHistogram) -> str:
    parts = [
        ("relevant", histogram.relevant),
        ("not relevant", histogram.not_relevant),
        ("unjudged", histogram.unjudged),
    ]
    counts = ", ".join(f"{count(sum(numbers))} {name}" for name, numbers in parts if any(numbers))
    return f"Scores of {histogram.system} from {histogram.low:.3g} to {histogram.high:.3g}: {counts} candidates."
