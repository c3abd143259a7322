"""Heat map: a square for each row and column, the darker the greater its value."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.svg import new_axes, short

_LABELS = 110
_LETTERS = 14
_FADED = 0.05


def heat_map(rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], width: int) -> Figure:
    """Draw values from 0 to 1.

    Args:
        rows: labels of the rows, from top to bottom; at least one.
        columns: labels of the columns; at least one.
        values: a value for each row and column.
        width: width of the figure, in CSS pixels.
    """
    square = max(12.0, min(24.0, (width - _LABELS) / len(columns)))
    figure, axes = new_axes(width, square * len(rows) + _LABELS)
    for place, of_row in enumerate(values):
        for column, value in enumerate(of_row):
            if value > _FADED:  # many squares of no colour would only make the page larger
                axes.add_patch(
                    Rectangle((column - 0.5, place - 0.5), 1, 1, color=sentinel("accent"), alpha=value, linewidth=0)
                )
    font = min(12.0, square * 0.7)
    axes.set_yticks(range(len(rows)), [short(name, _LETTERS) for name in rows], fontsize=font)
    axes.set_xticks(range(len(columns)), [short(name, _LETTERS) for name in columns], fontsize=font, rotation=90)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.spines["bottom"].set_visible(False)
    return figure
