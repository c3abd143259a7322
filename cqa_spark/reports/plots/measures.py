"""Dot and whisker: one measure of every system, with its interval."""

from __future__ import annotations

from markupsafe import Markup

from cqa_spark.reports.content.measures import Evaluation
from cqa_spark.reports.plots.intervals import Whisker, described, whiskers
from cqa_spark.reports.plots.svg import drawing, to_svg


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
    rows = [Whisker(m.system, m.value, m.low, m.high, _role(evaluation, m.system)) for m in found]
    baseline = evaluation.measurement(evaluation.baseline, measure) if evaluation.baseline else None
    figure = whiskers(rows, baseline.value if baseline else None, width)
    return to_svg(figure, name, f"{measure} of each system with its interval: {described(rows)}.")


def _role(evaluation: Evaluation, system: str) -> str:
    if system == evaluation.best_system:
        return "accent"
    return "muted" if system == evaluation.baseline else "ink"
