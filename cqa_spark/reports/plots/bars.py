"""Horizontal bars, one below the other, each with its name and its value in words."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from cqa_spark.reports.palette import sentinel
from cqa_spark.reports.plots.svg import new_axes, short

_AXIS = 12


def named_bars(
    names: Sequence[str],
    values: Sequence[float],
    texts: Sequence[str],
    width: int,
    *,
    row: int,
    thickness: float,
    font: int,
    gap: int,
    room: float,
) -> Figure:
    """Bars from top to bottom; there is no axis, as every bar says its value.

    Args:
        names: shown to the left of the bars; at least one.
        values: lengths of the bars.
        texts: the values, as shown after the bars.
        width: of the figure, in CSS pixels.
        row: height of a row, in CSS pixels.
        thickness: of a bar, as a share of its row.
        font: size of the texts, in CSS pixels.
        gap: between a bar and its text, in CSS pixels.
        room: for the longest bar's text, as a share of the bars' width.
    """
    figure, axes = new_axes(width, row * len(names) + _AXIS)
    axes.barh(range(len(names)), values, height=thickness, color=sentinel("accent"))
    for place, (value, text) in enumerate(zip(values, texts, strict=True)):
        axes.annotate(
            text,
            (value, place),
            xytext=(gap, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=font,
            color=sentinel("muted"),
        )
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    axes.tick_params(axis="y", labelcolor=sentinel("ink"))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=room)
    axes.set_xlim(left=0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    return figure
