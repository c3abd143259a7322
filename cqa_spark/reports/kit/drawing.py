"""A plot in the widths of a desktop and of a phone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from cqa_spark.reports.kit.plots.svg import NARROW, WIDE


@dataclass(frozen=True)
class Drawing:
    """One plot; ``wide`` is None for a plot that is always small, one of several in a row."""

    narrow: Markup
    wide: Markup | None = None


def draw_both(draw: Callable[[str, int], Markup], name: str) -> Drawing:
    """Draw a plot in both widths.

    Args:
        draw: draws the plot, given a unique name and the width in CSS pixels.
        name: unique on the page; letters, digits and hyphens.
    """
    return Drawing(narrow=draw(f"{name}-narrow", NARROW), wide=draw(f"{name}-wide", WIDE))
