"""Dot-and-whisker plot: values with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from cqa_spark.reports.kit.numbers import points
from cqa_spark.reports.kit.svg import new_axes, sentinel, short

_ROW = 30
_AXIS = 34


@dataclass(frozen=True)
class Whisker:
    """One row: a name, a value with its interval (fractions), and a colour role; ``accent`` is bold."""

    name: str
    value: float
    low: float
    high: float
    role: str


def whiskers(rows: Sequence[Whisker], reference: float | None, width: int) -> Figure:
    """Draw rows from top to bottom, in percentage points, with a dotted line at the reference.

    Args:
        rows: at least one.
        reference: a fraction; None for no line.
        width: width of the figure, in CSS pixels.
    """
    figure, axes = new_axes(width, _ROW * len(rows) + _AXIS)
    for position, row in enumerate(rows):
        _draw(axes, position, row)
    if reference is not None:
        axes.axvline(reference * 100, color=sentinel("muted"), linewidth=1, dashes=(2, 3), zorder=1)
    axes.set_yticks(range(len(rows)), [short(row.name) for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(sentinel(row.role))
    axes.set_ylim(len(rows) - 0.45, -0.65)
    axes.xaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="x", nbins=max(3, width // 110))
    return figure


def described(rows: Sequence[Whisker]) -> str:
    """The rows as text, for screen readers."""
    return "; ".join(f"{row.name} {points(row.value)} ({points(row.low)} to {points(row.high)})" for row in rows)


def _draw(axes: Axes, position: int, row: Whisker) -> None:
    colour = sentinel(row.role)
    axes.plot(
        [row.low * 100, row.high * 100],
        [position, position],
        color=colour,
        linewidth=2,
        solid_capstyle="round",
        alpha=0.55,
    )
    axes.plot([row.value * 100], [position], marker="o", markersize=8, color=colour)
    weight = "bold" if row.role == "accent" else "normal"
    label_above(axes, points(row.value), (row.value * 100, position), 6, color=colour, weight=weight)


def label_above(axes: Axes, text: str, position: tuple[float, float], gap: int, **style: Any) -> None:
    """Write a value above its dot; the gap is in CSS pixels."""
    axes.annotate(
        text, position, xytext=(0, gap), textcoords="offset points", ha="center", va="bottom", fontsize=11, **style
    )
