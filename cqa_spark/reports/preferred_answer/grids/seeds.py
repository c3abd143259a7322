"""The table of seeds."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, stdev

from cqa_spark.reports.kit.grid import Cell, Grid
from cqa_spark.reports.kit.numbers import points
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.preferred_answer.grids.cells import marked


def seeded(study: AnswerStudy) -> Grid:
    """Each system over several seeds; no rows where nothing was tried."""
    return Grid(
        title="Seeds",
        about=(
            f"{study.measures[0]} of the same system trained with several seeds: the part of a result that is due to "
            "random samples of rows and features in training. The first seed is that of the recipe, as in Table 4."
        ),
        headings=("system", "seeds", "first seed", "mean", "standard deviation", "lowest", "highest"),
        rows=tuple(_rows(study)),
    )


def _rows(study: AnswerStudy) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for system in dict.fromkeys(each.system for each in study.seeds):
        drawn = sorted((each for each in study.seeds if each.system == system), key=lambda each: each.draw)
        values = [each.value for each in drawn]
        if len(values) > 1:
            shown = (values[0], mean(values), stdev(values), min(values), max(values))
            yield marked(system), (Cell(str(len(values))), *(Cell(points(value)) for value in shown))
