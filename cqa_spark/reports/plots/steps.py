"""Horizontal bars: the time that each step of the run took."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.content import Step
from cqa_spark.reports.palette import sentinel
from cqa_spark.reports.plots.svg import drawing, new_axes, short, to_svg
from cqa_spark.reports.wording import duration, readable

_ROW = 26
_AXIS = 12


@drawing
def plot_steps(steps: Sequence[Step], name: str, width: int) -> Markup:
    """Wall-clock seconds per step, in the order of the run.

    Args:
        steps: at least one.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _ROW * len(steps) + _AXIS)
    seconds = [step.seconds for step in steps]
    axes.barh(range(len(steps)), seconds, height=0.6, color=sentinel("accent"))
    for row, value in enumerate(seconds):
        axes.annotate(
            duration(value),
            (value, row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=12,
            color=sentinel("muted"),
        )
    axes.set_yticks(range(len(steps)), [short(readable(step.name)) for step in steps])
    axes.tick_params(axis="y", labelcolor=sentinel("ink"))
    axes.set_ylim(len(steps) - 0.5, -0.5)
    axes.margins(x=0.18)
    axes.set_xlim(left=0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    described = "; ".join(f"{readable(step.name)} {duration(step.seconds)}" for step in steps)
    return to_svg(figure, name, f"Time of each step: {described}.")
