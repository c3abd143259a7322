"""Scatter plots of gold against predicted similarity, and bars of correlations beside published ones."""

from __future__ import annotations

from markupsafe import Markup
from matplotlib.ticker import MultipleLocator

from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.svg import NAME_LENGTH, drawing, new_axes, short, to_svg
from cqa_spark.reports.similarity.content import Points, Similarity

HIGHEST = 5
_ROW = 34


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
    axes.set_xlabel("gold similarity", color=sentinel("muted"))
    axes.set_ylabel("score", color=sentinel("muted"))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(1))
    axes.set_xlim(-0.25, HIGHEST + 0.25)
    axes.set_ylim(-1, HIGHEST + 1)
    return to_svg(figure, name, f"Gold similarity and score of {len(points.gold)} pairs of {points.set_name}.")


@drawing
def plot_sets(found: Similarity, name: str, width: int) -> Markup:
    """Draw the best system's correlation on each set as a bar with its interval, and the published one as a mark.

    Args:
        found: correlations and published results.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _ROW * len(found.sets) + 30)
    best = [found.correlation(found.systems[0], each) for each in found.sets]
    places = range(len(best))
    axes.barh(places, [100 * each.value for each in best], height=0.55, color=sentinel("accent"))
    low, high = ([100 * getattr(each, end) for each in best] for end in ("low", "high"))
    axes.hlines(places, low, high, color=sentinel("ink"), linewidth=1.5)
    for place, each in enumerate(found.sets):
        published = found.published_on(each)
        if published:
            axes.vlines(100 * published.value, place - 0.42, place + 0.42, color=sentinel("loss"), linewidth=3)
    letters = NAME_LENGTH if width > 500 else NAME_LENGTH // 2
    axes.set_yticks(list(places), [short(each, letters) for each in found.sets])
    axes.tick_params(axis="y", labelcolor=sentinel("ink"))
    axes.set_ylim(len(best) - 0.5, -0.5)
    axes.set_xlim(min(0.0, *low), 100)
    described = ", ".join(f"{each.set_name} {100 * each.value:.1f}" for each in best)
    return to_svg(figure, name, f"Correlation of {found.systems[0]} in percent: {described}.")
