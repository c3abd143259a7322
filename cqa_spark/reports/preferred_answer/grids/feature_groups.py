"""The ablation by feature group, corresponding to Table 5 of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.reports.experiments.content import Ablation
from cqa_spark.reports.kit.grid import NO_VALUE, Cell, Grid, difference_cell, value_cell
from cqa_spark.reports.kit.numbers import points, signed_points
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.preferred_answer.grids.cells import PUBLISHED_HEADINGS, published_cells
from cqa_spark.reports.preferred_answer.labels import label
from cqa_spark.reports.preferred_answer.published import TABLE_5, TABLE_5_ALL

_VARIANTS = {"without": ": without", "only": ": alone"}


def table_5(study: AnswerStudy, ablations: Sequence[Ablation]) -> Grid:
    """Each system without each feature group, and on each group alone; no rows without an ablation."""
    systems = list(dict.fromkeys(each.system for each in ablations))
    found = {(each.system, each.variant, each.family): each for each in ablations}
    columns = [(system, variant) for system in systems for variant in _VARIANTS]
    rows = [
        (name, (*[_cell(found.get((*column, family))) for column in columns], *published_cells(paper, signed_points)))
        for family, (name, paper) in TABLE_5.items()
        if any((system, "only", family) in found for system in systems)
    ]
    if systems:
        full = [
            Cell(points(found[system, "all", ""].value) if variant == "without" else "") for system, variant in columns
        ]
        rows.insert(0, ("all", (*full, *published_cells(TABLE_5_ALL))))
    return Grid(
        title="Table 5: feature groups",
        about=(
            f"{study.measures[0]}: the change when a group is removed (in percentage points, coloured if significant), "
            "and the group alone. The paper reports only the removal of groups, from a network on snapshot features. "
            "Correlated groups can replace each other, so small losses do not mean that all of them could be removed. "
            "The test accounts for the sample of questions, not for the random seed of training."
        ),
        headings=(
            "group",
            *[f"{label(system)}{_VARIANTS[variant]}" for system, variant in columns],
            *PUBLISHED_HEADINGS,
        ),
        rows=tuple(rows),
    )


def _cell(each: Ablation | None) -> Cell:
    if each is None:
        return NO_VALUE
    return difference_cell(each) if each.variant == "without" else value_cell(each.value, each.low, each.high)
