"""Horizontal bars: the tags with the most posts."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.inspection.content import Counted
from cqa_spark.reports.palette import sentinel
from cqa_spark.reports.plots.svg import drawing, new_axes, short, to_svg
from cqa_spark.reports.wording import count, visible

_ROW = 21
_AXIS = 12


@drawing
def plot_tags(tags: Sequence[Counted], name: str, width: int) -> Markup:
    """Posts for each tag.

    Args:
        tags: the most frequent first; at least one.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _ROW * len(tags) + _AXIS)
    axes.barh(range(len(tags)), [tag.rows for tag in tags], height=0.66, color=sentinel("accent"))
    for row, tag in enumerate(tags):
        axes.annotate(
            count(tag.rows),
            (tag.rows, row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=11,
            color=sentinel("muted"),
        )
    axes.set_yticks(range(len(tags)), [short(visible(tag.name)) for tag in tags])
    axes.tick_params(axis="y", labelcolor=sentinel("ink"))
    axes.set_ylim(len(tags) - 0.5, -0.5)
    axes.margins(x=0.16)
    axes.set_xlim(left=0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    described = "; ".join(f"{visible(tag.name)} {count(tag.rows)}" for tag in tags)
    return to_svg(figure, name, f"Posts for each of the most frequent tags: {described}.")
