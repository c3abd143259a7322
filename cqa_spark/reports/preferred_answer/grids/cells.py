"""Cells that several tables of the experiment share."""

from __future__ import annotations

from collections.abc import Callable

from cqa_spark.reports.kit.grid import NO_VALUE, Cell
from cqa_spark.reports.kit.numbers import points
from cqa_spark.reports.preferred_answer.labels import label, looks_ahead
from cqa_spark.reports.preferred_answer.published import Published

PUBLISHED_HEADINGS = ("paper, small", "paper, large")


def published_cells(found: Published | None, shown: Callable[[float], str] = points) -> tuple[Cell, Cell]:
    """The published results on the small and the large data set.

    Args:
        found: the results; None if there are none.
        shown: format of a result.
    """
    if found is None:
        return NO_VALUE, NO_VALUE
    return Cell(shown(found.small), role="muted"), Cell(shown(found.large), role="muted")


def marked(system: str) -> str:
    """The name of a system, with an asterisk if it uses information from after the cut."""
    return f"{label(system)} *" if looks_ahead(system) else label(system)
