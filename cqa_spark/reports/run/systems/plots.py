"""Dot-and-whisker plot of one measure of all systems."""

from __future__ import annotations

from markupsafe import Markup

from cqa_spark.reports.kit.plots.intervals import Whisker, described, whiskers
from cqa_spark.reports.kit.plots.svg import drawing, to_svg
from cqa_spark.reports.run.systems.content import Evaluation


@drawing
def plot_measure(evaluation: Evaluation, measure: str, name: str, width: int) -> Markup:
    """Plot a measure of each system in percentage points, with its interval and a line at the baseline.

    Args:
        evaluation: measurements, at least one of the measure.
        measure: name of the measure.
        name: unique on the page.
        width: in CSS pixels.
    """
    found = [m for s in evaluation.systems if (m := evaluation.measurement(s, measure)) is not None]
    rows = [Whisker(m.system, m.value, m.low, m.high, _role(evaluation, m.system)) for m in found]
    baseline = evaluation.measurement(evaluation.baseline, measure) if evaluation.baseline else None
    figure = whiskers(rows, baseline.value if baseline else None, width)
    return to_svg(figure, name, f"{measure} of each system, with intervals: {described(rows)}.")


def _role(evaluation: Evaluation, system: str) -> str:
    if system == evaluation.best_system:
        return "accent"
    return "muted" if system == evaluation.baseline else "ink"
