"""Plots of experiments: dot-and-whisker plots and learning curves."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.experiments.content import Ablation, CrossValidation, CurvePoint
from cqa_spark.reports.kit.numbers import count, points
from cqa_spark.reports.kit.palette import sentinel
from cqa_spark.reports.kit.plots.intervals import Whisker, described, whiskers
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg
from cqa_spark.reports.kit.significance import verdict

_HEIGHT = 260


@drawing
def plot_cross_validations(found: Sequence[CrossValidation], measure: str, name: str, width: int) -> Markup:
    """Plot the mean of each system over the repeats with its interval, and a line at the best system.

    Args:
        found: systems, best first; at least one.
        measure: name of the measure.
        name: unique on the page.
        width: in CSS pixels.
    """
    rows = [
        Whisker(each.system, each.value, each.low, each.high, "accent" if each.system == each.best else "ink")
        for each in found
    ]
    description = f"{measure} of each system in cross-validation, with intervals: {described(rows)}."
    return to_svg(whiskers(rows, found[0].value, width), name, description)


@drawing
def plot_ablations(ablations: Sequence[Ablation], measure: str, name: str, width: int) -> Markup:
    """Plot each variant with its interval, and a line at the full system.

    Args:
        ablations: variants of one system, including the full one.
        measure: name of the measure.
        name: unique on the page.
        width: in CSS pixels.
    """
    full = next(each for each in ablations if each.variant == "all")
    rows = [Whisker(each.name, each.value, each.low, each.high, _role(each)) for each in ablations]
    description = f"{measure} of {full.system} on subsets of its features, with intervals: {described(rows)}."
    return to_svg(whiskers(rows, full.value, width), name, description)


@drawing
def plot_curve(curve: Sequence[CurvePoint], measure: str, name: str, width: int) -> Markup:
    """Plot the measure over the number of training threads, with its interval as a band.

    Args:
        curve: points of one system, smallest share first; at least one.
        measure: name of the measure.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    threads = [point.threads for point in curve]
    axes.fill_between(
        threads,
        [point.low * 100 for point in curve],
        [point.high * 100 for point in curve],
        color=sentinel("accent"),
        alpha=0.15,
        linewidth=0,
    )
    axes.plot(threads, [point.value * 100 for point in curve], color=sentinel("accent"), marker="o", linewidth=2)
    for point in curve:
        axes.annotate(
            points(point.value),
            (point.threads, point.value * 100),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=11,
            color=sentinel("accent"),
        )
    axes.set_xticks(threads, [count(number) for number in threads])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.margins(x=0.08, y=0.12)
    words = "; ".join(
        f"{count(point.threads)} threads {points(point.value)} ({points(point.low)} to {points(point.high)})"
        for point in curve
    )
    return to_svg(figure, name, f"{measure} of {curve[0].system} by training threads: {words}.")


def _role(ablation: Ablation) -> str:
    if ablation.variant == "all":
        return "accent"
    return "loss" if ablation.variant == "without" and verdict(ablation) == "worse" else "ink"
