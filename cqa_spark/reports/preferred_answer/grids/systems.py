"""The table of all systems, corresponding to Table 4 of the paper."""

from __future__ import annotations

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.kit.grid import NO_VALUE, Cell, Grid, difference_cell, value_cell
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.preferred_answer.grids.cells import PUBLISHED_HEADINGS, marked, published_cells
from cqa_spark.reports.preferred_answer.labels import label
from cqa_spark.reports.preferred_answer.published import TABLE_4
from cqa_spark.reports.preferred_answer.wording import evaluation_set


def table_4(study: AnswerStudy) -> Grid:
    """All measures of each system, and P@1 of the paper."""

    def cells(system: str) -> tuple[Cell, ...]:
        figures = [study.figure(system, EVERY, measure) for measure in study.measures]
        values = [value_cell(figure.value, figure.low, figure.high) for figure in figures]
        test = NO_VALUE if system == study.baseline else difference_cell(figures[0])
        return (*values, test, *published_cells(TABLE_4.get(system)))

    return Grid(
        title="Table 4: systems",
        about=(
            f"On {evaluation_set(study)}, with intervals. The paired test is against {label(study.baseline)}, the best "
            "baseline. *: uses the state of the dump, which contains the prediction target. The paper reports another "
            "site and questions with at least four answers: compare the order of systems, not the values."
        ),
        headings=("system", *study.measures, f"over {label(study.baseline)}", *PUBLISHED_HEADINGS),
        rows=tuple((marked(system), cells(system)) for system in study.systems),
    )
