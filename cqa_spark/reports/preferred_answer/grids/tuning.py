"""The table of the parameter search."""

from __future__ import annotations

from cqa_spark.reports.kit.grid import Cell, Grid, difference_cell, value_cell
from cqa_spark.reports.kit.numbers import count, points
from cqa_spark.reports.preferred_answer.content import AnswerStudy, Search
from cqa_spark.reports.preferred_answer.grids.cells import marked
from cqa_spark.reports.preferred_answer.labels import label
from cqa_spark.reports.preferred_answer.wording import chosen_parameters


def searched(study: AnswerStudy) -> Grid:
    """The default parameters and the best trial of each system; no rows without a search."""
    chosen = "; ".join(f"{label(search.system)}: {chosen_parameters(search)}" for search in study.searches)
    return Grid(
        title="Tuning",
        about=(
            f"{study.measures[0]} on the validation split, with the default parameters of the recipe and with those of "
            "the best trial. Choosing the best trial on this split makes its score optimistic; Table 4 reports other "
            f"questions. Chosen parameters: {chosen}."
        ),
        headings=("system", "default", "best trial", "difference", "trials"),
        rows=tuple((marked(search.system), _cells(search)) for search in study.searches),
    )


def _cells(search: Search) -> tuple[Cell, ...]:
    best = value_cell(search.value, search.low, search.high)
    return Cell(points(search.given)), best, difference_cell(search), Cell(count(search.tried))
