"""Curve: a value by a number or a time, with its interval as a band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cqa_spark.reports.kit.intervals import Whisker, label_above
from cqa_spark.reports.kit.numbers import points
from cqa_spark.reports.kit.svg import new_axes, sentinel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEIGHT = 260
_LABEL = 48
"""Width of a label with some space, in CSS pixels."""


def curve_of(values: Sequence[Whisker], positions: Sequence[float], width: int) -> Figure:
    """Draw values in percentage points; of many values, only some have labels.

    Args:
        values: at least one; a name is the label on the horizontal axis.
        positions: of the values on the horizontal axis, ascending.
        width: width of the figure, in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    colour = sentinel("accent")
    low, high = ([getattr(value, end) * 100 for value in values] for end in ("low", "high"))
    axes.fill_between(positions, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(positions, [value.value * 100 for value in values], color=colour, marker="o", linewidth=2)
    labelled = range(0, len(values), -(-len(values) * _LABEL // width))
    for index in labelled:
        value = values[index].value
        label_above(axes, points(value), (positions[index], value * 100), 7, color=colour)
    axes.set_xticks([positions[index] for index in labelled], [values[index].name for index in labelled])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.margins(x=0.08, y=0.12)
    return figure
