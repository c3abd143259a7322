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
        histogram: counts in equal-width bins, some of them judged.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    judged = [
        (centre, 100 * relevant / (relevant + others), relevant + others)
        for centre, relevant, others in zip(histogram.centres, histogram.relevant, histogram.not_relevant, strict=True)
        if relevant + others
    ]
    most = max(total for _, _, total in judged)
    centres, shares, totals = zip(*judged, strict=True)
    if are_probabilities(histogram):
        axes.plot([0, 1], [0, 100], color=sentinel("muted"), linewidth=1, dashes=(2, 3), zorder=1)
    axes.plot(centres, shares, color=sentinel("line"), linewidth=1.5, zorder=2)
    areas = [_LARGEST**2 * total / most for total in totals]
    axes.scatter(centres, shares, s=areas, color=sentinel("accent"), linewidths=0, zorder=3)
    axes.set_ylim(-6, 106)
    axes.set_yticks([0, 50, 100], ["0", "50", "100 %"])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="x", nbins=5)
    parts = "; ".join(f"{share:.0f} % of {count(total)} at {centre:.3g}" for centre, share, total in judged)
    return to_svg(figure, name, f"Relevant candidates of {histogram.system} by score: {parts}.")


def are_probabilities(histogram: ScoreHistogram) -> bool:
    """Whether all scores are between 0 and 1."""
    return histogram.low >= 0 and histogram.high <= 1
