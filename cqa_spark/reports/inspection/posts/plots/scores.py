"""Mirrored histogram of questions and answers by score."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.inspection.posts.content import ScoreCount
from cqa_spark.reports.kit.numbers import MINUS, counted
from cqa_spark.reports.kit.plots.mirrored import draw_mirrored
from cqa_spark.reports.kit.plots.svg import drawing, new_axes, to_svg

_HEIGHT = 200
_EVERY = 5


@drawing
def plot_score_counts(scores: Sequence[ScoreCount], lowest: int, highest: int, name: str, width: int) -> Markup:
    """Draw questions above the axis and answers below it, one bin per score.

    Args:
        scores: lowest first.
        lowest: lowest score; includes all scores below it.
        highest: highest score; includes all scores above it.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _HEIGHT)
    found = {each.score: each for each in scores}
    steps = [found.get(score, ScoreCount(score, 0, 0)) for score in range(lowest, highest + 1)]
    questions, answers = [step.questions for step in steps], [step.answers for step in steps]
    draw_mirrored(axes, [step.score - 0.5 for step in steps] + [highest + 0.5], questions, answers)
    marks = range(lowest, highest + 1, _EVERY)
    axes.set_xticks(list(marks), [_label(score, lowest, highest) for score in marks])
    total = f"{counted(sum(questions), 'question')} and {counted(sum(answers), 'answer')}"
    return to_svg(figure, name, f"{total} by score, {lowest} or less to {highest} or more.")


def _label(score: int, lowest: int, highest: int) -> str:
    text = str(score).replace("-", MINUS)
    return f"≤ {text}" if score == lowest else f"≥ {text}" if score == highest else text
