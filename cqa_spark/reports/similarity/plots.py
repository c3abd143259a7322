"""Scatter plots of gold against predicted similarity, and correlations beside published ones."""

from __future__ import annotations

from markupsafe import Markup
from matplotlib.ticker import MultipleLocator

from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.intervals import Whisker, whiskers
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg
from cqa_spark.reports.similarity.content import Points, Similarity

HIGHEST = 5
_MARK = 0.42
"""Half the height of the mark of a published result, in rows."""


@drawing
def plot_points(points: Points, name: str, width: int) -> Markup:
    """Draw the pairs of a set; a perfect score lies on the diagonal.

    Args:
        points: the pairs.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, width)
    axes.plot([0, HIGHEST], [0, HIGHEST], color=sentinel("line"), linewidth=1)
    axes.scatter(points.gold, points.scores, s=9, color=sentinel("accent"), alpha=0.45, linewidths=0)
    axes.set_xlabel("gold similarity", color=sentinel("muted"), fontsize=12)
    axes.set_ylabel("score", color=sentinel("muted"), fontsize=12)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(1))
    axes.set_xlim(-0.25, HIGHEST + 0.25)
    axes.set_ylim(-1, HIGHEST + 1)
    return to_svg(figure, name, f"Gold similarity and score of {len(points.gold)} pairs of {points.set_name}.")


@drawing
def plot_sets(found: Similarity, name: str, width: int) -> Markup:
    """Draw the best system's correlation on each set with its interval, and the published one as a mark.

    Args:
        found: correlations and published results.
        name: unique on the page.
        width: in CSS pixels.
    """
    best = [found.correlation(found.systems[0], each) for each in found.sets]
    figure = whiskers([Whisker(each.set_name, each.value, each.low, each.high, "ink") for each in best], None, width)
    for place, each in enumerate(found.sets):
        published = found.published_on(each)
        if published:
            figure.axes[0].vlines(
                100 * published.value, place - _MARK, place + _MARK, color=sentinel("loss"), linewidth=3
            )
    described = ", ".join(f"{each.set_name} {100 * each.value:.1f}" for each in best)
    return to_svg(figure, name, f"Correlation of {found.systems[0]} in percent: {described}.")
