"""The comparison of learned systems with all baselines."""

from __future__ import annotations

from cqa_spark.reports.kit.grid import Grid, difference_cell
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.preferred_answer.grids.cells import marked
from cqa_spark.reports.preferred_answer.labels import is_baseline


def against_baselines(study: AnswerStudy) -> Grid:
    """The difference of each learned system from each baseline."""
    baselines = [system for system in study.systems if is_baseline(system)]
    learned = [system for system in study.systems if not is_baseline(system)]
    return Grid(
        title="Comparison with all baselines",
        about=(
            f"Difference in {study.measures[0]}, in percentage points, with the two-sided p-value of a paired test, "
            "adjusted for the number of systems (Holm)."
        ),
        headings=("system", *map(marked, baselines)),
        rows=tuple(
            (marked(system), tuple(difference_cell(study.contrast(system, other)) for other in baselines))
            for system in learned
        ),
    )
