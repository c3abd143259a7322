"""Dot and whisker: one measure of every system, with its interval."""

from __future__ import annotations

from markupsafe import Markup
from matplotlib.axes import Axes

from cqa_spark.reports.content import Evaluation, Measurement
from cqa_spark.reports.palette import sentinel
from cqa_spark.reports.plots.svg import drawing, new_axes, short, to_svg
from cqa_spark.reports.wording import points

_ROW = 30
_AXIS = 34


@drawing
def plot_measure(evaluation: Evaluation, measure: str, name: str, width: int) -> Markup:
    """Every system's value of a measure, in points, with its interval and a line at the baseline.

    Args:
        evaluation: must hold at least one measurement of the measure.
        measure: the measure as it prints.
        name: unique on the page.
        width: in CSS pixels.
    """
    found = [m for s in evaluation.systems if (m := evaluation.measurement(s, measure)) is not None]
    figure, axes = new_axes(width, _ROW * len(found) + _AXIS)
    for row, measurement in enumerate(found):
        _draw_system(axes, row, measurement, _role(evaluation, measurement.system))
    baseline = evaluation.baseline and evaluation.measurement(evaluation.baseline, measure)
    if baseline:
        axes.axvline(baseline.value * 100, color=sentinel("muted"), linewidth=1, dashes=(2, 3), zorder=1)
    axes.set_yticks(range(len(found)), [short(m.system) for m in found])
    for label, measurement in zip(axes.get_yticklabels(), found, strict=True):
        label.set_color(sentinel(_role(evaluation, measurement.system)))
    axes.set_ylim(len(found) - 0.45, -0.65)
    axes.xaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="x", nbins=max(3, width // 110))
    return to_svg(figure, name, _description(found, measure))


def _draw_system(axes: Axes, row: int, measurement: Measurement, role: str) -> None:
    colour = sentinel(role)
    axes.plot(
        [measurement.low * 100, measurement.high * 100],
        [row, row],
        color=colour,
        linewidth=2,
        solid_capstyle="round",
        alpha=0.55,
    )
    axes.plot([measurement.value * 100], [row], marker="o", markersize=8, color=colour)
    axes.annotate(
        points(measurement.value),
        (measurement.value * 100, row),
        xytext=(0, 6),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=11,
        color=colour,
        weight="bold" if role == "accent" else "normal",
    )


def _role(evaluation: Evaluation, system: str) -> str:
    if system == evaluation.best_system:
        return "accent"
    return "muted" if system == evaluation.baseline else "ink"


def _description(found: list[Measurement], measure: str) -> str:
    values = "; ".join(f"{m.system} {points(m.value)} ({points(m.low)} to {points(m.high)})" for m in found)
    return f"{measure} of each system with its interval: {values}."
