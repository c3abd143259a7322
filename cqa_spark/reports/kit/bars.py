"""Horizontal bar chart with named bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from cqa_spark.reports.kit.svg import NAME_LENGTH, folded, new_axes, sentinel

_AXIS = 12
_NAME_FONT, _NAME_HEIGHT, _NAME_GAP = 12, 14, 5
"""Font size, line height and distance from the bar of a name beside it, in CSS pixels."""


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
    colours: Sequence[str] | None = None,
    letters: int = NAME_LENGTH,
    lines: int = 1,
    names_above: bool = False,
) -> Figure:
    """Draw bars from top to bottom; each is labelled with its value, so there is no value axis.

    Args:
        names: labels of the bars; at least one.
        values: lengths of the bars.
        texts: the formatted values, shown after the bars.
        width: width of the figure, in CSS pixels.
        row: row height, in CSS pixels.
        thickness: bar thickness, as a share of the row height.
        font: font size of the values, in CSS pixels.
        gap: between a bar and its text, in CSS pixels.
        room: space for the value of the longest bar, as a share of the plot width.
        colours: a colour role for each bar; None for the accent colour.
        letters: characters of a name on a line.
        lines: lines from which on names are truncated.
        names_above: put each name above its bar instead of to its left, where long names would leave no room.
    """
    figure, axes = new_axes(width, row * len(names) + _AXIS)
    colour = sentinel("accent") if colours is None else [sentinel(role) for role in colours]
    below = 0.25 if names_above else 0.0
    centres = [position + below for position in range(len(names))]
    axes.barh(centres, values, height=thickness, color=colour)
    for position, name in enumerate(names):
        label = folded(name, letters, lines)
        if names_above:
            axes.annotate(label, (0, position - below), va="center_baseline", fontsize=font, color=sentinel("ink"))
        else:
            _name_beside(axes, label, position)
    for value, at, text in zip(values, centres, texts, strict=True):
        axes.annotate(
            text,
            (value, at),
            xytext=(gap, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=font,
            color=sentinel("muted"),
        )
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=room)
    axes.set_xlim(left=0)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines["bottom"].set_visible(False)
    return figure


def _name_beside(axes: Axes, label: str, position: int) -> None:
    """Write each line by itself, so that it ends at the bar in any font."""
    lines = label.split("\n")
    for number, line in enumerate(lines):
        axes.annotate(
            line,
            (0, position),
            xytext=(-_NAME_GAP, ((len(lines) - 1) / 2 - number) * _NAME_HEIGHT),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=_NAME_FONT,
            color=sentinel("ink"),
        )
