"""What experiments found: intervals of systems and of variants with fewer features, the curve over training threads."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.experiments import Ablation, CrossValidation, CurvePoint
from cqa_spark.reports.palette import sentinel
from cqa_spark.reports.plots.intervals import Whisker, described, whiskers
from cqa_spark.reports.plots.svg import drawing, new_axes, to_svg
from cqa_spark.reports.wording import SIGNIFICANT, count, points

_HEIGHT = 260


@drawing
def plot_cross_validations(found: Sequence[CrossValidation], measure: str, name: str, width: int) -> Markup:
    """Each system's mean over the repeats with its interval, and a line at the best.

    Args:
        found: best first; at least one.
        measure: the measure as it prints.
        name: unique on the page.
        width: in CSS pixels.
    """
    rows = [
        Whisker(each.system, each.value, each.low, each.high, "accent" if each.system == each.best else "ink")
        for each in found
    ]
    words = f"{measure} of each system by cross-validation, with its interval: {described(rows)}."
    return to_svg(whiskers(rows, found[0].value, width), name, words)


@drawing
def plot_ablations(ablations: Sequence[Ablation], measure: str, name: str, width: int) -> Markup:
    """Each variant's value with its interval, and a line at the full system.

    Args:
        ablations: of one system, the full one among them.
        measure: the measure as it prints.
        name: unique on the page.
        width: in CSS pixels.
    """
    full = next(each for each in ablations if each.variant == "all")
    rows = [Whisker(each.name, each.value, each.low, each.high, _role(each)) for each in ablations]
    described_rows = f"{measure} of {full.system} with fewer features, with its interval: {described(rows)}."
    return to_svg(whiskers(rows, full.value, width), name, described_rows)


@drawing
def plot_curve(points_of_it: Sequence[CurvePoint], measure: str, name: str, width: int) -> Markup:
    """The measure over the number of training threads, with its interval as a band.

    Args:
        points_of_it: of one system, smallest share first; at least one.
        measure: the measure as it prints.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    threads = [point.threads for point in points_of_it]
    axes.fill_between(
        threads,
        [point.low * 100 for point in points_of_it],
        [point.high * 100 for point in points_of_it],
        color=sentinel("accent"),
        alpha=0.15,
        linewidth=0,
    )
    axes.plot(threads, [point.value * 100 for point in points_of_it], color=sentinel("accent"), marker="o", linewidth=2)
    for point in points_of_it:
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
        for point in points_of_it
    )
    return to_svg(figure, name, f"{measure} of {points_of_it[0].system} by training threads: {words}.")


def _role(ablation: Ablation) -> str:
    if ablation.variant == "all":
        return "accent"
    lost = ablation.difference < 0 and ablation.p_value < SIGNIFICANT
    return "loss" if lost and ablation.variant == "without" else "ink"
