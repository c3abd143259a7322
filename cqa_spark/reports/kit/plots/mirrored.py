"""Mirrored histogram: one series above the axis, another below."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.palette import sentinel

_TICKS = 6
"""Largest number of ticks on the vertical axis."""


def draw_mirrored(axes: Axes, edges: Sequence[float], above: Sequence[int], below: Sequence[int]) -> None:
    """Draw two series of counts.

    Args:
        axes: where to draw.
        edges: bin edges, one more than bins.
        above: counts above the axis, in the accent colour.
        below: counts below the axis, in the loss colour.
    """
    axes.stairs(above, edges, fill=True, color=sentinel("accent"), linewidth=0)
    axes.stairs([-number for number in below], edges, fill=True, color=sentinel("loss"), linewidth=0)
    axes.axhline(0, color=sentinel("ink"), linewidth=1)
    axes.set_xlim(edges[0], edges[-1])
    axes.margins(y=0.08)
    axes.spines["bottom"].set_visible(False)
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=_TICKS, integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: count(round(abs(value))))
