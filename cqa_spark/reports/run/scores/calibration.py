"""Plot of calibration: the share of relevant candidates by score."""

from __future__ import annotations

from markupsafe import Markup

from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg
from cqa_spark.reports.run.scores.content import ScoreHistogram

_HEIGHT = 240
_LARGEST = 14
"""Diameter of the largest dot, in CSS pixels."""


@drawing
def plot_calibration(histogram: ScoreHistogram, name: str, width: int) -> Markup:
    """Draw the percentage of relevant candidates in each bin of scores; the area of a dot is the number of candidates.

    Scores that are probabilities should lie on the dotted diagonal; other scores should rise from left to right.

    Args:
        histogram: counts in equal-width bins; at least one has a ``calibration``.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    centres, shares, totals = zip(*histogram.calibration, strict=True)
    if histogram.are_probabilities:
        axes.plot([0, 1], [0, 100], color=sentinel("muted"), linewidth=1, dashes=(2, 3), zorder=1)
    percentages = [100 * share for share in shares]
    axes.plot(centres, percentages, color=sentinel("line"), linewidth=1.5, zorder=2)
    areas = [_LARGEST**2 * total / max(totals) for total in totals]
    axes.scatter(centres, percentages, s=areas, color=sentinel("accent"), linewidths=0, zorder=3)
    axes.set_ylim(-6, 106)
    axes.set_yticks([0, 50, 100], ["0", "50", "100 %"])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="x", nbins=5)
    parts = "; ".join(
        f"{100 * share:.0f} % of {count(total)} at {centre:.3g}" for centre, share, total in histogram.calibration
    )
    return to_svg(figure, name, f"Relevant candidates of {histogram.system} by score: {parts}.")
