"""Sorted bars of the differences per query."""

from __future__ import annotations

from itertools import accumulate

from markupsafe import Markup

from cqa_spark.reports.kit.numbers import MINUS
from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg
from cqa_spark.reports.run.differences.content import Differences

_HEIGHT = 270


@drawing
def plot_differences(differences: Differences, name: str, width: int) -> Markup:
    """Draw one bar per query in percentage points, from the largest gain to the largest loss.

    Args:
        differences: of at least one query.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    ends = list(accumulate(queries for _, queries in differences.steps))
    edges = [0, *ends]
    gains = [max(value, 0.0) * 100 for value, _ in differences.steps]
    losses = [min(value, 0.0) * 100 for value, _ in differences.steps]
    axes.stairs(gains, edges, fill=True, color=sentinel("accent"), linewidth=0)
    axes.stairs(losses, edges, fill=True, color=sentinel("loss"), linewidth=0)
    axes.axhline(0, color=sentinel("ink"), linewidth=1)
    axes.set_xlim(0, ends[-1])
    axes.margins(y=0.12)
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks([])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:+.0f}".replace("-", MINUS) if value else "0")
    return to_svg(figure, name, _description(differences))


def _description(differences: Differences) -> str:
    return (
        f"{differences.measure} of {differences.system} minus {differences.baseline} for each query, sorted: "
        f"better on {differences.better}, equal on {differences.equal}, worse on {differences.worse} queries."
    )
