"""Two rows of numbers on one line: questions above, answers below."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from cqa_spark.reports.palette import sentinel
from cqa_spark.reports.wording import count

_NUMBERS = 6  # of marks on the vertical axis


def draw_mirrored(axes: Axes, edges: Sequence[float], above: Sequence[int], below: Sequence[int]) -> None:
    """Draw the numbers between the edges, in the colours of questions and answers."""
    axes.stairs(above, edges, fill=True, color=sentinel("accent"), linewidth=0)
    axes.stairs([-number for number in below], edges, fill=True, color=sentinel("loss"), linewidth=0)
    axes.axhline(0, color=sentinel("ink"), linewidth=1)
    axes.set_xlim(edges[0], edges[-1])
    axes.margins(y=0.08)
    axes.spines["bottom"].set_visible(False)
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=_NUMBERS, integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: count(round(abs(value))))
