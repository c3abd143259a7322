"""The figures of the section."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.kit.drawing import Drawing, draw_both
from cqa_spark.reports.kit.plots.svg import NARROW
from cqa_spark.reports.similarity.content import Similarity
from cqa_spark.reports.similarity.plots import plot_points, plot_sets


@dataclass(frozen=True)
class SimilarityFigures:
    """Bars of all sets, and a scatter plot of each set by its name."""

    sets: Drawing
    points: dict[str, Drawing]


def draw_similarity(found: Similarity | None) -> SimilarityFigures | None:
    """Draw the figures; None without content."""
    if found is None:
        return None
    return SimilarityFigures(
        draw_both(lambda name, width: plot_sets(found, name, width), "sets"),
        {
            each.set_name: Drawing(plot_points(each, f"points{number}", NARROW))
            for number, each in enumerate(found.points)
        },
    )
