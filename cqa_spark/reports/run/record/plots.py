"""Bar chart of the duration of each step."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.kit.plots.bars import named_bars
from cqa_spark.reports.kit.plots.svg import drawing, to_svg
from cqa_spark.reports.kit.text import readable
from cqa_spark.reports.kit.units import duration
from cqa_spark.reports.run.record.content import Step


@drawing
def plot_steps(steps: Sequence[Step], name: str, width: int) -> Markup:
    """Draw the wall-clock time of each step, in the order of the run.

    Args:
        steps: at least one.
        name: unique on the page.
        width: in CSS pixels.
    """
    names = [readable(step.name) for step in steps]
    texts = [duration(step.seconds) for step in steps]
    figure = named_bars(
        names, [step.seconds for step in steps], texts, width, row=26, thickness=0.6, font=12, gap=5, room=0.18
    )
    described = "; ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
    return to_svg(figure, name, f"Wall-clock time of each step: {described}.")
