"""How well the scores of the systems separate relevant candidates from the others."""

from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.svg import Plot, draw_small, new_axes, sentinel
from cqa_spark.reports.section import Section
from cqa_spark.reports.sections.score_counts import FEWEST, ScoreHistogram, Scores, count_scores

_HEIGHT = 240
_HISTOGRAM_HEIGHT = 170
_LARGEST = 14
"""Diameter of the largest dot, in CSS pixels."""


def page(scores: Scores) -> Markup:
    """The histograms of all systems; calibration and confusion of the best one."""
    best = scores.best
    is_calibrated = any(best.relevant) and best.calibration
    return fragment(
        "sections/scores.html.j2",
        scores=scores,
        fewest=FEWEST,
        figures={
            histogram.system: draw_small(partial(plot_scores, histogram), f"scores{number}")
            for number, histogram in enumerate(scores.histograms)
        },
        calibration=draw_small(partial(plot_calibration, best), "calibration") if is_calibrated else None,
    )


def plot_scores(histogram: ScoreHistogram, width: int) -> Plot:
    """Draw the share of relevant, other and unjudged candidates per score; a rare kind shows as well as others."""
    figure, axes = new_axes(width, _HISTOGRAM_HEIGHT)
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
    return Plot(figure, _described_histogram(histogram))


def _shares(candidates: Sequence[int]) -> list[float]:
    """The number of candidates in each bin, as a share of all."""
    total = sum(candidates) or 1
    return [number / total for number in candidates]


def _described_histogram(histogram: ScoreHistogram) -> str:
    parts = [
        ("relevant", histogram.relevant),
        ("not relevant", histogram.not_relevant),
        ("unjudged", histogram.unjudged),
    ]
    counts = ", ".join(f"{count(sum(numbers))} {name}" for name, numbers in parts if any(numbers))
    return f"Scores of {histogram.system} from {histogram.low:.3g} to {histogram.high:.3g}: {counts} candidates."


def plot_calibration(histogram: ScoreHistogram, width: int) -> Plot:
    """Draw the percentage of relevant candidates in each bin of scores; the area of a dot is the number of candidates.

    Scores that are probabilities should lie on the dotted diagonal; other scores should rise from left to right. At
    least one bin has a ``calibration``.
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
    return Plot(figure, f"Relevant candidates of {histogram.system} by score: {parts}.")


SECTION = Section("scores", "Scores", count_scores, page, optional=(RANKINGS, EXAMPLES))
