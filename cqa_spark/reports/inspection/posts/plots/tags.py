"""Bar chart of the tags with the most posts."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cqa_spark.reports.inspection.tables.content import Counted
from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.plots.bars import named_bars
from cqa_spark.reports.kit.plots.svg import drawing, to_svg


@drawing
def plot_tags(tags: Sequence[Counted], name: str, width: int) -> Markup:
    """Draw the number of posts of each tag.

    Args:
        tags: most frequent first; at least one.
        name: unique on the page.
        width: in CSS pixels.
    """
    names = [tag.name for tag in tags]
    texts = [count(tag.rows) for tag in tags]
    figure = named_bars(
        names, [tag.rows for tag in tags], texts, width, row=21, thickness=0.66, font=11, gap=4, room=0.16
    )
    described = "; ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
    return to_svg(figure, name, f"Number of posts of the most frequent tags: {described}.")
